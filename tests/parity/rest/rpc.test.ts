// Results of functions read like tables: counted, paged, filtered, as one object, as CSV, and by HEAD.
import { deepStrictEqual as same } from "node:assert";
import { restTest } from "./fixture.ts";

// deno-lint-ignore no-explicit-any -- the tables of these tests have no types
const ids = (data: any): number[] => data.map(({ id }: { id: number }) => id);

restTest("an argument may have the name of a keyword or of a query parameter", async ({ anon }) => {
  same(ids((await anon.rpc("lt_page", { limit: 2, order: "x", select: "y" })).data), [1, 2]);
  same(ids((await anon.rpc("lt_page", { limit: 3, order: "x" }).select("id").limit(1)).data), [1]);
  // By GET `limit` is the page's, as in PostgREST
  const byGet = await anon.rpc("lt_page", { limit: 2 }, { get: true });
  same([byGet.status, byGet.error!.code], [404, "PGRST202"]);
});

restTest("HEAD returns the count only, GET the rows", async ({ anon }) => {
  const head = await anon.rpc("lt_long_episodes", { minutes: 1 }, { head: true, count: "exact" });
  same([head.status, head.count, head.data], [200, 2, null]);
  const plain = await anon.rpc("lt_greet", {}, { head: true });
  same([plain.status, plain.data, plain.error], [200, null, null]);
  const read = await anon.rpc("lt_long_episodes", { minutes: 1 }, { get: true, count: "exact" }).order("id");
  same([read.status, read.count, ids(read.data)], [200, 2, [1, 2]]);
  same((await anon.rpc("lt_publish_all", {}, { head: true })).status, 405);
});

restTest(
  "a result is counted exactly and by estimate; a planned count stays unknown, as in PostgREST",
  async ({ anon }) => {
    for (const [count, expected] of [["exact", 2], ["estimated", 2], ["planned", NaN]] as const) {
      const { data, count: total } = await anon.rpc("lt_long_episodes", { minutes: 1 }, { count }).order("id");
      same([count, total, ids(data)], [count, expected, [1, 2]]);
    }
  },
);

restTest("a Range header selects a page of a result", async ({ anon, raw }) => {
  const page = await anon.rpc("lt_long_episodes", { minutes: 1 }, { count: "exact" }).order("id").range(1, 5);
  same([page.status, page.count, ids(page.data)], [206, 2, [2]]);
  const beyond = await anon.rpc("lt_long_episodes", { minutes: 1 }, { count: "exact" }).range(7, 9);
  same([beyond.status, beyond.error!.code], [416, "PGRST103"]);
  const byHeader = await raw("/rpc/lt_long_episodes?minutes=1&order=id", {
    headers: { range: "1-1", "range-unit": "items" },
  });
  same([byHeader.headers.get("content-range"), ids(await byHeader.json())], ["1-1/*", [2]]);
  const backwards = await raw("/rpc/lt_long_episodes?minutes=1", { headers: { range: "2-1" } });
  same([backwards.status, (await backwards.json()).code], [416, "PGRST103"]);
});

restTest("a result is filtered, ordered, limited, renamed and embedded", async ({ anon }) => {
  const { data } = await anon.rpc("lt_long_episodes", { minutes: 1 }).select(
    "name:title, minutes:length::text, lt_shows(title)",
  )
    .or("length.eq.60,title.like.T*").order("length", { ascending: false }).limit(1);
  same(data, [{ name: "Two", minutes: "120", lt_shows: { title: "Alpha" } }]);
  same(ids((await anon.rpc("lt_long_episodes", { minutes: 1 }).not("title", "in", '("One","x,y")')).data), [2]);
});

restTest("single() returns an object and rolls back calls with another number of rows", async ({ anon, ana, sql }) => {
  same((await anon.rpc("lt_pair", { a: 1, b: "x" }).single()).data, { number: 1, word: "x" } as never);
  same((await anon.rpc("lt_long_episodes", { minutes: 999 }).maybeSingle()).data, null);
  same((await anon.rpc("lt_long_episodes", { minutes: 1 }).maybeSingle()).error!.code, "PGRST116");
  const published = async () =>
    (await sql`select from public.lt_episodes where published_at > now() - interval '1 day'`).length;
  const before = await published();
  same((await ana.rpc("lt_publish_all").single()).status, 406);
  same(await published(), before);
});

restTest("max-affected rolls back calls, updates and deletes of more rows", async ({ ana, sql }) => {
  const changed = () => sql`select from public.lt_episodes where published_at > now() - interval '1 day'`;
  const before = (await changed()).length;
  const over = await ana.rpc("lt_publish_all").maxAffected(2);
  same([over.status, over.error!.code, over.error!.details], [400, "PGRST124", "The query affects 3 rows"]);
  same((await changed()).length, before);
  const within = await ana.rpc("lt_publish_all").maxAffected(3);
  same([within.status, within.data!.length], [200, 3]);
  const one = await ana.rpc("lt_one_episode", { id: 1 }).maxAffected(1);
  same([one.status, one.error!.code], [400, "PGRST128"]);
  const update = await ana.from("lt_episodes").update({ title: "x" }).gt("id", 0).maxAffected(2);
  same([update.status, update.error!.code], [400, "PGRST124"]);
  same((await ana.from("lt_episodes").delete().gt("id", 0).maxAffected(2)).error!.code, "PGRST124");
  same((await sql`select from public.lt_episodes where title <> 'x'`).length, 3);
});

restTest("a result can be CSV, or JSON without nulls", async ({ anon, raw }) => {
  same(
    (await anon.rpc("lt_long_episodes", { minutes: 1 }).select("id, title").order("id").csv()).data,
    "id,title\n1,One\n2,Two",
  );
  const accept = "application/vnd.pgrst.object+json;nulls=stripped";
  const response = await raw("/rpc/lt_one_episode?id=2&select=id,published_at", { headers: { accept } });
  same(await response.json(), { id: 2 });
  same((await raw("/rpc/lt_greet", { headers: { accept: "image/png" } })).status, 406);
});

restTest("form fields and query parameters become typed arguments", async ({ raw }) => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await raw("/rpc/lt_greet", { method: "POST", headers, body: "name=ana&times=2" });
  same([response.status, await response.json()], [200, "hello ana hello ana "]);
  same((await raw("/rpc/lt_greet?times=many")).status, 400);
});
