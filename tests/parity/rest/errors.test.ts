// Errors of REST: keys, tokens, schemas, grants and policies.
import { deepStrictEqual as same, match, ok } from "node:assert";
import { generateKeyPair, SignJWT } from "jose";
import { waitFor } from "../../wait_for.ts";
import { restTest } from "./fixture.ts";

restTest("REST requires one of the project's keys", async ({ raw, stack }) => {
  const without = await fetch(`${stack.url}/rest/v1/lt_people`);
  same([without.status, (await without.json()).message], [401, "No API key found in request"]);
  const foreign = await raw("/lt_people", { headers: { apikey: "sb_publishable_of_another_project" } });
  same([foreign.status, (await foreign.json()).message], [401, "Invalid API key"]);
  const inQuery = await fetch(`${stack.url}/rest/v1/lt_people?select=id&apikey=${stack.publishableKey}`);
  same([inQuery.status, (await inQuery.json()).length], [200, 2]);
});

restTest("REST rejects malformed and foreign tokens instead of treating them as anon", async ({ raw }) => {
  const { privateKey } = await generateKeyPair("ES256");
  const foreign = await new SignJWT({ role: "service_role" }).setProtectedHeader({ alg: "ES256" })
    .setExpirationTime("1h").sign(privateKey);
  const unsigned = `${btoa('{"alg":"none"}')}.${btoa('{"role":"service_role"}')}.`;
  for (const token of ["a.b", "a.b.c", foreign, unsigned, ""]) {
    const response = await raw("/lt_people", { headers: { authorization: `Bearer ${token}` } });
    same([response.status, (await response.json()).code], [401, "PGRST301"], token);
    ok(response.headers.get("www-authenticate")?.startsWith('Bearer error="invalid_token"'));
  }
});

restTest("REST serves only the exposed schemas", async ({ anon, admin }) => {
  for (const client of [anon, admin]) {
    for (const schema of ["auth", "private", "storage", "nowhere"]) {
      const { status, error } = await client.schema(schema).from("users").select();
      same([status, error!.code, error!.message], [406, "PGRST106", `Invalid schema: ${schema}`]);
      match(error!.hint!, /^Only the following schemas are exposed: public\b/);
    }
  }
});

restTest("unknown tables and columns are errors with a similar name as hint", async ({ anon, raw }) => {
  const { status, error } = await anon.from("lt_show").select();
  same([status, error!.code, error!.hint], [404, "PGRST205", "Perhaps you meant the table 'public.lt_shows'"]);
  for (const query of [anon.from("lt_shows").select("nope"), anon.from("lt_shows").select("id").eq("nope", 1)]) {
    const { status, error } = await query;
    same([status, error!.code, error!.message], [400, "42703", "column lt_shows.nope does not exist"]);
  }
  const unrelated = await anon.from("lt_shows").select("id, lt_private!owner(id)");
  same([unrelated.error!.code, unrelated.error!.details], [
    "PGRST200",
    "Searched for a foreign key relationship between 'lt_shows' and 'lt_private' using the hint 'owner' in the schema " +
    "'public', but no matches were found.",
  ]);
  same((await anon.from("lt_shows").select("id").eq("id", "x")).error!.code, "22P02");
  const unreadable = await raw("/lt_shows?id=1");
  same((await unreadable.json()).code, "PGRST100");
  same(unreadable.headers.get("proxy-status"), "PostgREST; error=PGRST100");
});

restTest("a column without grant cannot be read, filtered, set or returned", async ({ ana, anon }) => {
  const refused = [
    ana.from("lt_shows").select("*"),
    ana.from("lt_shows").select("secret"),
    ana.from("lt_shows").select("id").eq("secret", "hidden"),
    ana.from("lt_shows").select("id").order("secret"),
    ana.from("lt_shows").insert({ title: "New", secret: "mine" }),
    ana.from("lt_shows").update({ secret: "mine" }).eq("id", 1),
    ana.from("lt_shows").insert({ title: "New" }).select(),
    ana.from("lt_episodes").select("id, lt_shows(secret)"),
  ];
  for (const query of refused) {
    const { status, error } = await query;
    same([status, error!.code], [403, "42501"]);
  }
  same((await anon.from("lt_shows").select("secret")).status, 401);
});

restTest("a revoked privilege has effect at once", async ({ ana, sql }) => {
  same((await ana.from("lt_shows").select("title").eq("id", 1)).status, 200);
  await sql`revoke select (title), insert (title) on public.lt_shows from authenticated`;
  same((await ana.from("lt_private").select("id")).status, 200);
  same((await ana.from("lt_shows").select("title")).status, 403);
  same((await ana.from("lt_shows").insert({ title: "New" })).status, 403);
  const [{ granted }] = await sql`
    select count(*)::int as granted from information_schema.column_privileges
    where table_name = 'lt_shows' and grantee = 'authenticated' and column_name in ('title', 'secret')
      and privilege_type in ('SELECT', 'INSERT')`;
  same(granted, 0);
  await sql`grant select (title), insert (title) on public.lt_shows to authenticated`;
});

restTest("Policies decide which rows a user sees and writes", async ({ ana, anon, admin, user, sql }) => {
  same((await ana.from("lt_private").insert({ id: 1, note: "mine" }).select().single()).data, {
    id: 1,
    owner: user.id,
    note: "mine",
  });
  await sql`insert into public.lt_private values (2, gen_random_uuid(), 'theirs')`;
  same((await ana.from("lt_private").select("note")).data, [{ note: "mine" }]);
  same((await ana.from("lt_private").update({ note: "x" }).eq("id", 2).select()).data, []);
  same((await ana.from("lt_private").delete().eq("id", 2).select()).data, []);
  const rejected = await ana.from("lt_private").insert({ id: 3, owner: crypto.randomUUID() });
  same([rejected.status, rejected.error!.code], [403, "42501"]);
  same((await anon.from("lt_private").select()).status, 401);
  same((await admin.from("lt_private").select("id").order("id")).data, [{ id: 1 }, { id: 2 }]);
});

restTest("a function without grant is rejected", async ({ anon, ana }) => {
  const statuses = [await anon.rpc("lt_kept"), await ana.rpc("lt_kept")].map((r) => [r.status, r.error!.code]);
  same(statuses, [[401, "42501"], [403, "42501"]]);
});

restTest("REST allows CORS requests of any origin", async ({ raw, stack }) => {
  const preflight = await fetch(`${stack.url}/rest/v1/lt_people`, {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example.com",
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "apikey,authorization,content-profile,prefer",
    },
  });
  const { status, headers } = preflight;
  same([status, headers.get("access-control-allow-origin")], [200, "*"]);
  same(headers.get("access-control-allow-headers"), "apikey,authorization,content-profile,prefer");
  ok(headers.get("access-control-allow-methods")!.includes("PATCH"));
  for (const path of ["/lt_people", "/nowhere", "/rpc/nothing"]) {
    const { headers } = await raw(path);
    same(headers.get("access-control-allow-origin"), "*");
    ok(headers.get("access-control-expose-headers")!.includes("Content-Range"));
  }
});

restTest("an internal error has no internals in the response", async ({ raw }) => {
  const response = await raw("/lt_shows?select=id&order=id.sideways");
  const body = await response.text();
  ok(response.status >= 400);
  ok(!/at |\.js|\.ts|node_modules|Error:/.test(body), body);
});

restTest("a lost database connection is 503, and the next request succeeds", async ({ anon, sql }) => {
  const waiting = anon.rpc("lt_wait", { seconds: 20 }).then((response) => response);
  await waitFor("the statement that waits", async () => {
    const lost = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity where query like '%"lt_wait"%' and pid <> pg_backend_pid()`;
    return lost.length > 0;
  });
  const { status, error } = await waiting;
  same([status, error!.code], [503, "57P01"]);
  same((await anon.rpc("lt_greet")).status, 200);
});

restTest(
  "a raised PGRST sets status, headers and body, and a malformed one says what it must have",
  async ({ raw }) => {
    const raise = async (sentence: string, more: string) => {
      const body = JSON.stringify({ state: "PGRST", sentence, more });
      const headers = { "content-type": "application/json" };
      const response = await raw("/rpc/lt_raise", { method: "POST", headers, body });
      return { response, error: await response.json() };
    };
    const message = `{"code": "X1", "message": "no"}`;
    const { response, error } = await raise(message, `{"status": 402, "headers": {"X-Price": "3"}}`);
    same([response.status, response.headers.get("x-price")], [402, "3"]);
    same(error, { code: "X1", message: "no", details: null, hint: null });
    const malformed = await raise(message, `{"status": 402}`);
    same([malformed.response.status, malformed.error], [500, {
      code: "PGRST121",
      message: `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
      details: `Invalid JSON value for DETAIL: '{"status": 402}'`,
      hint: "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
    }]);
    const named = await raise("sorry", "{}");
    same(named.error.details, "Invalid JSON value for MESSAGE: 'sorry'");
  },
);

restTest("a raised status without a body has none, and a raised header may have any text", async ({ raw }) => {
  const headers = { "content-type": "application/json" };
  const raise = async (state: string, sentence: string, more: string) => {
    const response = await raw("/rpc/lt_raise", {
      method: "POST",
      headers,
      body: JSON.stringify({ state, sentence, more }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  for (const state of ["PT204", "PT304"]) {
    const { status, text } = await raise(state, "nothing", "");
    same([status, text], [Number(state.slice(2)), ""]);
  }
  const message = `{"code": "X1", "message": "no"}`;
  same((await raise("PGRST", message, `{"status": 304, "headers": {}}`)).status, 304);
  const named = await raise("PGRST", message, `{"status": 402, "headers": {"X-Name": "ż"}}`);
  same([named.status, named.headers.get("x-name")], [402, "\u00c5\u00bc"]); // fetch reads each byte as a character
});

restTest("tables may have names of any letters", async ({ raw, sql }) => {
  await sql.unsafe(`create table public."lt_żółw" (id int); grant select on public."lt_żółw" to anon`).simple();
  const read = async () => {
    const response = await raw(`/${encodeURIComponent("lt_żółw")}`);
    return { status: response.status, text: await response.text() };
  };
  try {
    await waitFor("the table in the schema cache", async () => (await read()).status !== 404);
    same(await read(), { status: 200, text: "[]" });
  } finally {
    await sql.unsafe(`drop table public."lt_żółw"`).simple();
  }
});
