// Accept and Content-Type: CSV, JSON without nulls, other types of functions.
import { deepStrictEqual as same, ok } from "node:assert";
import { type Rest, restTest, schemaIsRead } from "./fixture.ts";

const get = ({ raw }: Rest, path: string, accept: string) => raw(path, { headers: { accept } });

restTest("CSV has a line of names, and values as Postgres prints a row", async (rest) => {
  const columns = "id,title,notes,tags,rating,cover,airs_at";
  await rest.sql`update public.lt_shows set title = 'a "quoted", title' where id = 2`;
  const response = await get(rest, `/lt_shows?select=${columns}&order=id&id=lt.3`, "text/csv");
  same(response.headers.get("content-type"), "text/csv; charset=utf-8");
  same(
    await response.text(),
    `${columns}\n1,Alpha,"{""a"": [1, null]}","{x,""y z""}",4.50,"\\\\x00ff","{""2026-01-02 03:04:05+00""}"\n` +
      `2,"a ""quoted"", title","""text""",{},,,`,
  );
  same(await (await get(rest, "/lt_people?id=eq.9", "text/csv")).text(), "\n");
  same(await (await get(rest, "/rpc/lt_pair?a=1&b=x,y", "text/csv")).text(), 'number,word\n1,"x,y"');
  same(await (await get(rest, "/rpc/lt_greet", "text/csv")).text(), 'pgrst_scalar\n"hello world "');
  const error = await get(rest, "/lt_shows?select=nope", "text/csv");
  same([error.status, error.headers.get("content-type")], [400, "application/json; charset=utf-8"]);
  same((await error.json()).code, "42703");
});

restTest("a CSV body names its columns, and NULL is null", async (rest) => {
  const post = async (path: string, body: string) => {
    const response = await rest.raw(path, {
      method: "POST",
      headers: {
        "content-type": "text/csv",
        accept: "text/csv",
        prefer: "return=representation",
        authorization: `Bearer ${rest.user.token}`,
      },
      body,
    });
    return [response.status, await response.text()];
  };
  const path = "/lt_episodes?select=title,length";
  same(await post(path, 'show_id,title,length\n1,"a ""b"", c",5\r\n2,NULLS,NULL\n\n'), [
    201,
    'title,length\n"a ""b"", c",5\nNULLS,',
  ]);
  const [status, body] = await post(path, "show_id,title\n1,x\n1");
  same([status, JSON.parse(body as string)], [400, {
    code: "PGRST102",
    details: null,
    hint: null,
    message: "All lines must have same number of fields",
  }]);
  same(await post("/rpc/lt_pair", "a,b\n7,seven"), [200, "number,word\n7,seven"]);
});

restTest("a request for one object or without nulls names the type in the response", async (rest) => {
  const typed = async (path: string, accept: string) => {
    const response = await get(rest, path, accept);
    return [response.status, response.headers.get("content-type"), await response.json()];
  };
  const path = "/lt_shows?select=id,rating&id=eq.2", vendor = "application/vnd.pgrst";
  same(await typed(path, `${vendor}.object`), [200, `${vendor}.object+json; charset=utf-8`, { id: 2, rating: null }]);
  same(await typed(path, `${vendor}.object+json; nulls=stripped`), [
    200,
    `${vendor}.object+json;nulls=stripped; charset=utf-8`,
    { id: 2 },
  ]);
  same(await typed(path, `${vendor}.array+json;nulls=stripped`), [
    200,
    `${vendor}.array+json;nulls=stripped; charset=utf-8`,
    [{ id: 2 }],
  ]);
  same(await typed(path, `${vendor}.array`), [200, "application/json; charset=utf-8", [{ id: 2, rating: null }]]);
  same((await typed(path, "text/html, application/json;q=0.9"))[0], 200);
});

restTest("an unavailable type is 406 and named in the message", async (rest) => {
  for (const path of ["/lt_people", "/rpc/lt_greet"]) {
    const response = await get(rest, path, "text/html; charset=utf-8, image/*;q=0.1");
    same([response.status, response.headers.get("proxy-status"), await response.json()], [
      406,
      "PostgREST; error=PGRST107",
      {
        code: "PGRST107",
        details: null,
        hint: null,
        message: "None of these media types are available: text/html;charset=utf-8, image/*",
      },
    ]);
  }
  same((await get(rest, "/rpc/lt_greet", "text/plain")).status, 406);
  const geo = await get(rest, "/lt_people", "application/geo+json");
  same([geo.status, (await geo.json()).message], [404, "function st_asgeojson(record) does not exist"]);
});

restTest("a function that returns a domain called as a media type creates the whole body", async (rest) => {
  await rest.sql.unsafe(`
    create domain public."text/plain" as text;
    create domain public."*/*" as bytea;
    create function public.lt_plain() returns public."text/plain" language sql stable set search_path = ''
      as $$ select 'a "text"' $$;
    create function public.lt_bytes() returns public."*/*" language sql stable set search_path = ''
      as $$ select '\\x00ff'::bytea $$;
    grant execute on function public.lt_plain, public.lt_bytes to anon;
  `).simple();
  try {
    await schemaIsRead(() => rest.anon.rpc("lt_plain"));
    const plain = await get(rest, "/rpc/lt_plain", "text/plain");
    same([plain.headers.get("content-type"), await plain.text()], ["text/plain; charset=utf-8", 'a "text"']);
    same((await get(rest, "/rpc/lt_plain", "application/octet-stream")).status, 406);
    const bytes = await get(rest, "/rpc/lt_bytes", "image/png");
    same([bytes.headers.get("content-type"), [...new Uint8Array(await bytes.arrayBuffer())]], [
      "application/octet-stream",
      [0, 255],
    ]);
  } finally {
    await rest.sql.unsafe(`
      drop function public.lt_plain, public.lt_bytes;
      drop domain public."text/plain", public."*/*"`).simple();
  }
});

restTest("the response names the negotiated schema, and an unknown one is 406", async ({ raw }) => {
  const own = await raw("/lt_people", { headers: { "accept-profile": "public" } });
  same(own.headers.get("content-profile"), "public");
  const unknown = await raw("/rpc/lt_greet", {
    method: "POST",
    headers: { "content-profile": "private", "accept-profile": "public" },
  });
  const { message, hint, code } = await unknown.json();
  same([unknown.status, code, message], [406, "PGRST106", "Invalid schema: private"]);
  ok(/^Only the following schemas are exposed: public\b/.test(hint));
  same((await raw("/lt_people", { headers: { "content-profile": "private" } })).status, 200);
});
