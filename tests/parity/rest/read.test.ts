// Reading tables through the stack as supabase-js does with PostgREST.
import { deepStrictEqual as same } from "node:assert";
import { restTest, schemaIsRead } from "./fixture.ts";

restTest("Every type is printed as Postgres prints JSON", async ({ anon }) => {
  const { data } = await anon.from("lt_shows")
    .select("notes, rating, plays, cover, tags, airs_at, created_at").order("id");
  same(data![0], {
    notes: { a: [1, null] },
    rating: 4.5,
    plays: 9007199254740991,
    cover: "\\x00ff",
    tags: ["x", "y z"],
    airs_at: ["2026-01-02T03:04:05+00:00"],
    created_at: "2026-11-21T04:50:25.808097+00:00",
  });
  same(data!.map(({ notes, rating }) => [notes, rating]).slice(1), [["text", null], [null, "NaN"]]);
});

restTest("every filter operator selects its rows", async ({ anon }) => {
  const table = () => anon.from("lt_shows").select("id").order("id");
  const ids = async (query: PromiseLike<{ data: { id: number }[] | null }>) => (await query).data!.map(({ id }) => id);
  same(await ids(table().eq("title", "Alpha")), [1]);
  same(await ids(table().neq("title", "Alpha")), [2, 3]);
  same(await ids(table().gt("id", 1).lte("id", 3)), [2, 3]);
  same(await ids(table().in("title", ["Alpha", 'a,b"c'])), [1]);
  same(await ids(table().ilike("title", "%ET%")), [2]);
  same(await ids(table().is("cover", null)), [2, 3]);
  same(await ids(table().not("id", "in", "(2,3)")), [1]);
  same(await ids(table().or("id.eq.1,and(status.eq.draft,title.eq.Beta)")), [1, 2]);
  same(await ids(table().contains("tags", ["y z"])), [1]);
  same(await ids(table().contains("notes", { a: [1] })), [1]);
  same(await ids(table().overlaps("tags", ["x", "z"])), [1, 3]);
  same(await ids(table().eq("notes->a->>0", "1")), [1]);
  same(await ids(table().textSearch("title", "gamma")), [3]);
  same(await ids(table().eq("title", `é'"\\,()`)), []);
  same(await ids(table().likeAnyOf("title", ["Al*", "%mma"])), [1, 3]);
  same(await ids(table().ilikeAllOf("title", ["%e%", "%t%"])), [2]);
  same(await ids(table().filter("cover", "not.is", null)), [1]);
  same(await ids(table().filter("plays", "is", "not_null")), [1, 2]);
  same(await ids(table().filter("plays", "isdistinct", "0")), [1, 3]);
  same(await ids(table().filter("status", "match", "^l")), [1, 3]);
  same(await ids(table().containedBy("tags", ["x", "z"])), [2, 3]);
  same(await ids(table().or('title.in.("Alpha","Be,ta"),tags.cs.{x},not.and(id.lt.9,id.gt.0)')), [1, 3]);
});

restTest("Related rows are embedded along foreign keys, both ways and through a join table", async ({ anon }) => {
  const shows = await anon.from("lt_shows").select("title, lt_episodes(title, length), lt_people(name)").order("id")
    .limit(2);
  same(shows.data, [
    {
      title: "Alpha",
      lt_episodes: [{ title: "One", length: 60 }, { title: "Two", length: 120 }],
      lt_people: [{ name: "Ana" }, { name: "Vic" }],
    },
    { title: "Beta", lt_episodes: [{ title: "Three", length: null }], lt_people: [{ name: "Vic" }] },
  ]);
  const named = await anon.from("lt_shows").select("hosts:lt_hosts(role, person:lt_people(name))").eq("id", 2).single();
  same(named.data, { hosts: [{ role: "host", person: { name: "Vic" } }] });
  const flat = await anon.from("lt_episodes").select("title, ...lt_shows(show:title)").eq("id", 3).single();
  same(flat.data, { title: "Three", show: "Beta" });
});

restTest("embedded rows are filtered, ordered, limited and counted separately", async ({ anon }) => {
  const inner = await anon.from("lt_shows").select("title, lt_episodes!inner(title)").eq("lt_episodes.title", "Three");
  same(inner.data, [{ title: "Beta", lt_episodes: [{ title: "Three" }] }]);
  const last = await anon.from("lt_shows").select("id, lt_episodes(title)").eq("id", 1)
    .order("title", { referencedTable: "lt_episodes", ascending: false }).limit(1, { referencedTable: "lt_episodes" });
  same(last.data, [{ id: 1, lt_episodes: [{ title: "Two" }] }]);
  const counted = await anon.from("lt_shows").select("id, lt_episodes(count)").order("id");
  same(counted.data!.map((show) => show.lt_episodes), [[{ count: 2 }], [{ count: 1 }], [{ count: 0 }]]);
  const byShow = await anon.from("lt_episodes").select("id, lt_shows(title)").order("lt_shows(title)", {
    ascending: false,
  })
    .order("id");
  same(byShow.data!.map(({ id }) => id), [3, 1, 2]);
});

restTest("a Range header selects a page and returns Content-Range", async ({ anon, raw }) => {
  const page = await anon.from("lt_shows").select("id", { count: "exact" }).order("id").range(0, 1);
  same([page.status, page.count, page.data], [206, 3, [{ id: 1 }, { id: 2 }]]);
  const whole = await anon.from("lt_shows").select("id", { count: "exact" });
  same([whole.status, whole.count], [200, 3]);
  const head = await anon.from("lt_shows").select("id", { count: "exact", head: true });
  same([head.status, head.count, head.data], [200, 3, null]);
  const beyond = await anon.from("lt_shows").select("id", { count: "exact" }).range(10, 12);
  same([beyond.status, beyond.error!.code], [416, "PGRST103"]);
  const plain = await raw("/lt_shows?select=id&order=id&offset=1&limit=1");
  same([plain.status, plain.headers.get("content-range"), await plain.json()], [200, "1-1/*", [{ id: 2 }]]);
});

restTest("single() returns an object, and 406 for another number of rows", async ({ anon }) => {
  same((await anon.from("lt_shows").select("id").eq("id", 1).single()).data, { id: 1 });
  for (const rows of [0, 3]) {
    const { status, error } = await anon.from("lt_shows").select("id").gt("id", rows ? 0 : 9).single();
    same([status, error!.code, error!.details], [406, "PGRST116", `The result contains ${rows} rows`]);
  }
  const none = await anon.from("lt_shows").select("id").eq("id", 9).maybeSingle();
  same([none.data, none.error], [null, null]);
  same((await anon.from("lt_shows").select("id").maybeSingle()).error!.code, "PGRST116");
});

restTest("a page has at most max_rows rows", async ({ anon, sql }) => {
  await sql`insert into public.lt_episodes (show_id, title) select 3, n from generate_series(1, 1100) n`;
  same((await anon.from("lt_episodes").select("id")).data!.length, 1000);
  same((await anon.from("lt_episodes").select("id").limit(1050)).data!.length, 1000);
  same((await anon.rpc("lt_count_up")).data!.length, 1000);
  const embedded = await anon.from("lt_shows").select("lt_episodes(id)").eq("id", 3).single();
  same(embedded.data!.lt_episodes.length, 1000);
});

restTest("REST finds a new or changed table without a restart", async ({ anon, sql }) => {
  const added = () => anon.from("lt_added").select();
  same((await added()).error!.code, "PGRST205");
  await sql.unsafe(`create table public.lt_added (id int); grant select on public.lt_added to anon`).simple();
  await schemaIsRead(added);
  same((await added()).data, []);
  await sql`drop table public.lt_added`;
});

restTest("lists allow blanks, and text after a complete parameter is ignored", async ({ raw }) => {
  const ids = async (query: string) => {
    const response = await raw(`/lt_episodes?order=id&${query}`);
    const body = await response.json();
    return response.ok ? body.map(({ id }: { id: number }) => id) : [response.status, body.code, body.details];
  };
  same(await ids("select=id&id=in.( 1,2)"), [1, 2]);
  same(await ids("select=id&id=in.(  )"), []);
  same(await ids("select=id,lt_shows(title)))&id=eq.1"), [1]);
  same(await ids("select=id&and=(id.gt.1,id.lt.3))"), [2]);
});

restTest("full-text search turns text into words, but not a vector", async ({ anon }) => {
  const search = async (column: string, words: string) =>
    (await anon.from("lt_episodes").select("id").textSearch(column, words, { config: "simple" })).data;
  same(await search("title", "two"), [{ id: 2 }]);
  same(await search("lt_words", "two & thing"), [{ id: 2 }]);
});

restTest("the columns of * are in the order of the table, also in a list of columns", async ({ raw, anon }) => {
  const columns = "id,show_id,title,length,published_at";
  const csv = await raw("/lt_episodes?id=eq.1", { headers: { accept: "text/csv" } });
  same((await csv.text()).split("\n")[0], columns);
  const spread = await anon.from("lt_shows").select("...lt_episodes(*)").eq("id", 1).single();
  same(Object.keys(spread.data!).join(","), columns);
});
