// Embedding by PostgREST's rules: related tables, hints and results.
import { deepStrictEqual as same } from "node:assert";
import { restTest } from "./fixture.ts";

restTest(
  "a table is embedded by its name, by a key's name, and by a key's column, under any alias",
  async ({ anon }) => {
    const show = { title: "Beta" };
    for (const name of ["lt_shows", "lt_episodes_show_id_fkey", "show_id", "lt_shows!show_id", "lt_shows!id"]) {
      const { data } = await anon.from("lt_episodes").select(`id, show:${name}(title)`).eq("id", 3).single();
      same(data, { id: 3, show }, name);
    }
  },
);

restTest("a unique foreign key embeds an object on both sides", async ({ anon }) => {
  const { data } = await anon.from("lt_shows").select("id, lt_trailers(url)").order("id").limit(2);
  same(data, [{ id: 1, lt_trailers: { url: "https://a.test" } }, { id: 2, lt_trailers: null }]);
  const trailer = await anon.from("lt_trailers").select("lt_shows(title)").single();
  same(trailer.data, { lt_shows: { title: "Alpha" } });
});

restTest("a junction needs both keys inside its primary key, and an exposed schema", async ({ anon }) => {
  const people = await anon.from("lt_shows").select("lt_people(name)").eq("id", 2).single();
  same(people.data, { lt_people: [{ name: "Vic" }] }); // lt_hosts alone; lt_fans is not a junction
  const linked = await anon.from("lt_episodes").select("lt_people(name)");
  same([linked.status, linked.error!.code], [400, "PGRST200"]); // lt_hidden.lt_links is not exposed
});

restTest("an ambiguous embedding is 300 with hints", async ({ anon }) => {
  const { status, error } = await anon.from("lt_fans").select("lt_shows(title)");
  same([status, error!.code], [300, "PGRST201"]);
  same(
    (error!.details as unknown as Record<string, string>[]).map((way) => [way.cardinality, way.relationship]),
    [
      ["many-to-one", "lt_fans_show_2_id_fkey using lt_fans(show_2_id) and lt_shows(id)"],
      ["many-to-one", "lt_fans_show_id_fkey using lt_fans(show_id) and lt_shows(id)"],
    ],
  );
  same(error!.hint.includes("'lt_shows!lt_fans_show_2_id_fkey'"), true);
  const hinted = await anon.from("lt_fans").select("one:lt_shows!show_id(title), two:lt_shows!show_2_id(title)").order(
    "id",
  );
  same(hinted.data, [{ one: { title: "Alpha" }, two: { title: "Beta" } }, { one: { title: "Alpha" }, two: null }]);
  const wrong = await anon.from("lt_fans").select("lt_shows!nope(title)");
  same([wrong.status, wrong.error!.code], [400, "PGRST200"]);
});

restTest("a self-reference embeds children by table name and the parent by column", async ({ anon }) => {
  const science = await anon.from("lt_topics").select("name, lt_topics(name)").eq("id", 1).single();
  same(science.data, { name: "Science", lt_topics: [{ name: "Physics" }, { name: "Biology" }] });
  const physics = await anon.from("lt_topics").select("name, parent_id(name)").eq("id", 2).single();
  same(physics.data, { name: "Physics", parent_id: { name: "Science" } });
  const hinted = await anon.from("lt_topics").select("children:lt_topics!parent_id(name)").eq("id", 1).single();
  same(hinted.data, { children: [{ name: "Physics" }, { name: "Biology" }] });
});

restTest("a function of a row is a relationship, also in nested embeds and after calls", async ({ admin }) => {
  const latest = { title: "Two" };
  const { data } = await admin.from("lt_shows").select("title, lt_latest(title)").eq("id", 1).single();
  same(data, { title: "Alpha", lt_latest: latest });
  const nested = await admin.rpc("lt_one_episode", { id: 1 }).select("title, lt_shows(title, lt_latest(title))");
  same(nested.data, { title: "One", lt_shows: { title: "Alpha", lt_latest: latest } } as never);
});

restTest("embeds nest, and each level is filtered, ordered and paged by its path", async ({ anon }) => {
  const { data } = await anon.from("lt_people").select("name, lt_shows(title, lt_episodes(title))").order("name")
    .order("id", { referencedTable: "lt_shows", ascending: false })
    .like("lt_shows.lt_episodes.title", "T*").limit(1, { referencedTable: "lt_shows.lt_episodes" });
  same(data, [
    { name: "Ana", lt_shows: [{ title: "Alpha", lt_episodes: [{ title: "Two" }] }] },
    {
      name: "Vic",
      lt_shows: [{ title: "Beta", lt_episodes: [{ title: "Three" }] }, {
        title: "Alpha",
        lt_episodes: [{ title: "Two" }],
      }],
    },
  ]);
});

restTest(
  "an inner embed and a null filter on an embed select the rows around it, also in the count",
  async ({ anon }) => {
    const shows = () => anon.from("lt_shows");
    const inner = await shows().select("id, lt_episodes!inner(id)", { count: "exact", head: true }).gt(
      "lt_episodes.length",
      50,
    );
    same(inner.count, 1);
    const without = await shows().select("id, lt_trailers()", { count: "exact" }).is("lt_trailers", null).order("id");
    same([without.count, without.data], [2, [{ id: 2 }, { id: 3 }]]);
    const either = await shows().select("id, lt_trailers(), lt_people()").or(
      "lt_trailers.not.is.null,lt_people.is.null",
    ).order("id");
    same(either.data, [{ id: 1 }, { id: 3 }]);
  },
);

restTest("invalid embeddings have PostgREST's codes", async ({ anon, raw }) => {
  const codes = async (queries: PromiseLike<{ status: number; error: { code: string } | null }>[]) =>
    (await Promise.all(queries)).map(({ status, error }) => `${status} ${error?.code}`);
  const shows = () => anon.from("lt_shows");
  same(
    await codes([
      shows().select("id, lt_nothing(id)"),
      shows().select("id").eq("lt_episodes.title", "x"),
      shows().select("id, lt_episodes(id)").order("lt_episodes(title)"),
      shows().select("id.sum()"),
      shows().select("id, lt_episodes(id"),
      shows().select("id").or("id.eq.1,("),
    ]),
    ["400 PGRST200", "400 PGRST108", "400 PGRST118", "400 PGRST123", "400 PGRST100", "400 PGRST100"],
  );
  for (const query of [`select=${"lt_shows(".repeat(500)}`, `or=${"(or".repeat(500)}`]) {
    const response = await raw(`/lt_episodes?${query}`);
    same([response.status, (await response.json()).code], [400, "PGRST100"]);
  }
});
