// Prefer and Preference-Applied, counts and pages.
import { deepStrictEqual as same, ok } from "node:assert";
import { type Rest, restTest, schemaIsRead } from "./fixture.ts";

interface Sent {
  method?: string;
  prefer?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

async function send({ raw, user }: Rest, path: string, { method = "GET", prefer, body, headers }: Sent) {
  const response = await raw(path, {
    method,
    headers: {
      ...prefer && { prefer },
      authorization: `Bearer ${user.token}`,
      "content-type": "application/json",
      ...headers,
    },
    ...body !== undefined && { body: JSON.stringify(body) },
  });
  const text = await response.text();
  const header = (name: string) => response.headers.get(name);
  return { status: response.status, header, applied: header("preference-applied"), body: text && JSON.parse(text) };
}

restTest("handling=strict rejects unknown preferences by name", async (rest) => {
  const prefer = "handling=strict, anything, count=many, missing=default";
  const strict = { prefer };
  for (const [path, sent] of [["/lt_people", strict], ["/rpc/lt_greet", strict]] as const) {
    const { status, body } = await send(rest, path, sent);
    same([status, body], [400, {
      code: "PGRST122",
      details: "Invalid preferences: anything, count=many",
      hint: null,
      message: "Invalid preferences given with handling=strict",
    }]);
  }
  const lenient = await send(rest, "/lt_people", { prefer: "handling=lenient, anything" });
  same([lenient.status, lenient.applied], [200, "handling=lenient"]);
});

restTest("Preference-Applied has the preferences that apply to the request, in a fixed order", async (rest) => {
  const all = "timezone=Europe/Berlin, max-affected=10, handling=strict, count=exact, return=representation, " +
    "missing=default, resolution=merge-duplicates";
  const one = { show_id: 1, title: "New" };
  const read = await send(rest, "/lt_people", { prefer: all });
  same(read.applied, "count=exact, handling=strict, timezone=Europe/Berlin");
  const added = await send(rest, "/lt_episodes", { method: "POST", prefer: all, body: one });
  same(
    added.applied,
    "resolution=merge-duplicates, missing=default, return=representation, count=exact, handling=strict, " +
      "timezone=Europe/Berlin",
  );
  const changed = await send(rest, "/lt_episodes?id=eq.1", { method: "PATCH", prefer: all, body: { title: "x" } });
  same(
    changed.applied,
    "missing=default, return=representation, count=exact, handling=strict, timezone=Europe/Berlin, max-affected=10",
  );
  const called = await send(rest, "/rpc/lt_ids?ids={1}", { prefer: "max-affected=1, handling=lenient" });
  same(called.applied, "handling=lenient");
});

restTest("max-affected limits updates, deletes and sets, only with handling=strict", async (rest) => {
  const prefer = "handling=strict, max-affected=1, return=representation";
  const remove = await send(rest, "/lt_episodes?show_id=eq.1", { method: "DELETE", prefer });
  same([remove.status, remove.body], [400, {
    code: "PGRST124",
    details: "The query affects 2 rows",
    hint: null,
    message: "Query result exceeds max-affected preference constraint",
  }]);
  same((await rest.sql`select from public.lt_episodes`).length, 3);
  const update = { method: "PATCH", body: { length: 1 }, prefer: "max-affected=1" };
  same((await send(rest, "/lt_episodes?show_id=eq.1", update)).status, 204);
  same((await send(rest, "/rpc/lt_ids?ids={1,2}", { prefer })).body.code, "PGRST124");
  same((await send(rest, "/rpc/lt_greet", { prefer })).body.code, "PGRST128");
  same((await send(rest, "/lt_people", { prefer })).status, 200);
});

restTest("resolution has no effect on a table without key", async (rest) => {
  await rest.sql.unsafe(`
    create table public.lt_keyless (id int);
    grant select, insert on public.lt_keyless to anon, authenticated`).simple();
  try {
    await schemaIsRead(() => rest.anon.from("lt_keyless").select());
    const prefer = "resolution=merge-duplicates, return=representation";
    const { status, body, applied } = await send(rest, "/lt_keyless", { method: "POST", prefer, body: { id: 7 } });
    same([status, body, applied], [201, [{ id: 7 }], "return=representation"]);
  } finally {
    await rest.sql`drop table public.lt_keyless`;
  }
});

restTest("timezone changes how times are printed, and an unknown one is an error", async (rest) => {
  const path = "/lt_shows?select=created_at&id=eq.1";
  const offset = await send(rest, path, { prefer: "timezone=America/New_York" });
  same(offset.body, [{ created_at: "2026-11-20T23:50:25.808097-05:00" }]);
  for (const prefer of ["timezone=Moon/Base", "handling=lenient, timezone=Moon/Base"]) {
    const { status, body } = await send(rest, path, { prefer });
    same([status, body.code, body.message], [400, "22023", 'invalid value for parameter "TimeZone": "Moon/Base"']);
  }
});

restTest("missing=default fills absent columns of the columns parameter", async (rest) => {
  const add = (prefer: string) =>
    send(rest, "/lt_shows?columns=title,status&select=title,status", {
      method: "POST",
      prefer: `return=representation, ${prefer}`,
      body: [{ title: prefer }, { title: `${prefer} 2`, status: "live" }],
    });
  const filled = await add("missing=default");
  same(filled.body.map(({ status }: { status: string }) => status), ["draft", "live"]);
  same((await add("missing=null")).body.code, "23502");
});

restTest(
  "count=estimated is exact for a count of at most max-rows, and planned counts by the planner",
  async (rest) => {
    const { sql, anon } = rest;
    const few = await anon.from("lt_shows").select("id", { count: "estimated" }).limit(1);
    same([few.count, few.status], [3, 206]);
    await sql`insert into public.lt_episodes (show_id, title) select 3, n from generate_series(1, 2000) n`;
    await sql.unsafe("analyze public.lt_episodes").simple();
    const many = await anon.from("lt_episodes").select("id", { count: "estimated" });
    same([many.count, many.status, many.data!.length], [2003, 206, 1000]);
    await sql`delete from public.lt_episodes where id > 1200`;
    const stale = await anon.from("lt_episodes").select("id", { count: "estimated", head: true });
    ok(stale.count! >= 1001 && stale.count! !== 1103, `${stale.count}`);
    const planned = await anon.from("lt_episodes").select("id", { count: "planned" }).eq("show_id", 3).limit(2);
    ok(planned.count! > 2 && planned.status === 206, `${planned.count}`);
  },
);

restTest("Content-Range and status follow the page and the count", async (rest) => {
  const page = async (query: string, sent: Sent = {}) => {
    const { status, header, body } = await send(rest, `/lt_shows?select=id&order=id${query}`, sent);
    return [status, header("content-range"), body?.details ?? body?.length];
  };
  const exact = { prefer: "count=exact" };
  same(await page(""), [200, "0-2/*", 3]);
  same(await page("&limit=1&offset=1", exact), [206, "1-1/3", 1]);
  same(await page("&limit=0"), [200, "*/*", 0]);
  same(await page("&limit=0", exact), [206, "*/3", 0]);
  same(await page("&offset=3", exact), [206, "*/3", 0]);
  same(await page("&offset=9"), [200, "*/*", 0]);
  same(await page("&offset=9", exact), [416, "*/3", "An offset of 9 was requested, but there are only 3 rows."]);
  same(await page("&id=gt.9", exact), [200, "*/0", 0]);
  same(await page("&limit=-1"), [416, null, "Limit should be greater than or equal to zero."]);
  same(await page("&limit=2", { headers: { range: "1-" } }), [200, "1-1/*", 1]);
  same(await page("", { headers: { range: "1-0" } }), [
    416,
    null,
    "The lower boundary must be lower than or equal to the upper boundary in the Range header.",
  ]);
  const located = await send(rest, "/lt_shows?select=id&order=id&id=gt.1&id=lt.3&apikey=x", {});
  same(located.header("content-location"), "/lt_shows?id=gt.1,lt.3&order=id&select=id");
});
