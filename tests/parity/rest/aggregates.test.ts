// Aggregate functions, which `pgrst.db_aggregates_enabled` allows.
import { deepStrictEqual as same } from "node:assert";
import { type Rest, restTest } from "./fixture.ts";
import { withSettings } from "./pgrst_settings.ts";

const aggregateTest = (name: string, run: (rest: Rest) => Promise<void>) =>
  restTest(name, (rest) => {
    const isAllowed = async () => (await rest.anon.from("lt_people").select("id.count()")).error === null;
    return withSettings(rest, { db_aggregates_enabled: "true" }, isAllowed, () => run(rest));
  });

restTest("Aggregates are an error without the setting, also in embedded tables", async ({ anon }) => {
  const message = "Use of aggregate functions is not allowed";
  for (const select of ["count()", "length.sum()", "id, lt_shows(id.max())", "id, ...lt_shows(id.max())"]) {
    const { status, error } = await anon.from("lt_episodes").select(select);
    same([status, error], [400, { code: "PGRST123", details: null, hint: null, message }]);
  }
});

aggregateTest("aggregates apply to all rows, or to groups of the other columns", async ({ anon }) => {
  const all = await anon.from("lt_episodes").select("count(), length.sum(), avg:length.avg()::int, id.max()");
  same(all.data, [{ count: 3, sum: 180, avg: 90, max: 3 }]);
  const grouped = await anon.from("lt_episodes").select("show:show_id, n:count()::text, length.min()").order(
    "show_id",
  );
  same(grouped.data, [{ show: 1, n: "2", min: 60 }, { show: 2, n: "1", min: null }]);
  const filtered = await anon.from("lt_episodes").select("length.count()", { count: "exact" }).eq("show_id", 2);
  same([filtered.data, filtered.count, filtered.status], [[{ count: 0 }], 1, 200]);
});

aggregateTest("an aggregate of a JSON value takes its cast before the function", async ({ anon, sql }) => {
  await sql`update public.lt_shows set notes = jsonb_build_object('n', id)`;
  const { data } = await anon.from("lt_shows").select("total:notes->>n::int.sum()::text, notes->n::int.max()");
  same(data, [{ total: "6", max: 3 }]);
});

aggregateTest("aggregates in an embedded table group its rows", async ({ anon }) => {
  const { data } = await anon.from("lt_shows").select("id, lt_episodes(count(), length.sum())").order("id");
  same(data, [
    { id: 1, lt_episodes: [{ count: 2, sum: 180 }] },
    { id: 2, lt_episodes: [{ count: 1, sum: null }] },
    { id: 3, lt_episodes: [{ count: 0, sum: null }] },
  ]);
  const grouped = await anon.from("lt_episodes").select("count(), lt_shows(title)").neq("show_id", 2);
  same(grouped.data, [{ count: 2, lt_shows: { title: "Alpha" } }]);
});

aggregateTest("aggregates of a spread row apply to the outer rows", async ({ anon }) => {
  const spread = await anon.from("lt_episodes").select("show_id, ...lt_shows(rating.sum(), n:plays.count())")
    .order("show_id");
  same(spread.data, [{ show_id: 1, sum: 9, n: 2 }, { show_id: 2, sum: null, n: 1 }]);
  const byStatus = await anon.from("lt_episodes").select("...lt_shows(status, last:id.max())");
  same(byStatus.data!.map(({ status, last }) => `${status} ${last}`).sort(), ["draft 2", "live 1"]);
  const nested = await anon.from("lt_hosts").select("role, ...lt_shows(...lt_trailers(url.max()))").order(
    "role",
  );
  same(nested.data, [{ role: "guest", max: "https://a.test" }, { role: "host", max: "https://a.test" }]);
  const counted = await anon.from("lt_hosts").select("...lt_people(count())");
  same(counted.data, [{ count: 3 }]);
});

aggregateTest("aggregates of a spread list are not implemented", async ({ anon }) => {
  const { status, error } = await anon.from("lt_shows").select("id, ...lt_episodes(length.sum())");
  same([status, error], [400, {
    code: "PGRST127",
    details: "Aggregates are not implemented for one-to-many or many-to-many spreads.",
    hint: null,
    message: "Feature not implemented",
  }]);
});

aggregateTest("`*` beside an aggregate is grouped by each column", async ({ anon }) => {
  const { data } = await anon.from("lt_people").select("*, n:id.count()").order("id");
  same(data, [{ id: 1, name: "Ana", n: 1 }, { id: 2, name: "Vic", n: 1 }]);
  const ofFunction = await anon.rpc("lt_long_episodes", { minutes: 1 }).select("length.sum(), show_id");
  same(ofFunction.data, [{ sum: 180, show_id: 1 }]);
});

restTest("lists of a spread to-many relationship have all columns, in the requested order", async ({ anon }) => {
  const lists = await anon.from("lt_shows").select("id, ...lt_episodes(episode:title, length)").order("id")
    .order("title", { referencedTable: "lt_episodes", ascending: false });
  same(lists.data, [
    { id: 1, episode: ["Two", "One"], length: [120, 60] },
    { id: 2, episode: ["Three"], length: [null] },
    { id: 3, episode: [], length: [] },
  ]);
  const all = await anon.from("lt_shows").select("title, ...lt_people(*)").eq("id", 1).single();
  same(all.data, { title: "Alpha", id: [1, 2], name: ["Ana", "Vic"] });
  const nested = await anon.from("lt_hosts").select("role, ...lt_shows(title, ...lt_episodes(length))").eq(
    "show_id",
    2,
  );
  same(nested.data, [{ role: "host", title: "Beta", length: [null] }]);
});
