// Relationships by PostgREST's rules: schemas, self-references with several keys, and views.
import { deepStrictEqual as same } from "node:assert";
import { restTest } from "./fixture.ts";

restTest("a table of a schema that is not exposed adds neither columns nor relationships", async ({ anon }) => {
  const { data } = await anon.from("lt_hosts").select("lt_people(*)").eq("show_id", 1).eq("person_id", 1).single();
  same(data, { lt_people: { id: 1, name: "Ana" } });
  const spread = await anon.from("lt_shows").select("show:id, ...lt_people(*)").eq("id", 2).single();
  same(spread.data, { show: 2, id: [2], name: ["Vic"] } as never);
});

restTest("two self-references are ambiguous without a hint and are told apart by column", async ({ anon }) => {
  const tasks = () => anon.from("lt_tasks");
  const { status, error } = await tasks().select("name, lt_tasks(name)");
  same([status, error], [300, {
    code: "PGRST201",
    message: "Could not embed because more than one relationship was found for 'lt_tasks' and 'lt_tasks'",
    details: ["main", "parent"].map((key) => ({
      cardinality: "one-to-many",
      embedding: "lt_tasks with lt_tasks",
      relationship: `lt_tasks_${key} using lt_tasks(id) and lt_tasks(${key}_id)`,
    })),
    hint: "Try changing 'lt_tasks' to one of the following: 'lt_tasks!lt_tasks_main', 'lt_tasks!lt_tasks_parent'. " +
      "Find the desired relationship in the 'details' key.",
  }]);
  const parent = await tasks().select("name, parent_id(name), main_id(name)").eq("id", 3).single();
  same(parent.data, { name: "Second", parent_id: { name: "Board" }, main_id: { name: "First" } } as never);
  const children = await tasks().select("name, children:lt_tasks!parent_id(name)").eq("id", 1).single();
  same(children.data, { name: "Board", children: [{ name: "First" }, { name: "Second" }] });
  const byConstraint = await tasks().select("lt_tasks!lt_tasks_parent(name)");
  same([byConstraint.status, byConstraint.error!.code, byConstraint.error!.hint], [400, "PGRST200", null]);
});

restTest("a view has the relationships of the columns that it shows, in both directions", async ({ anon }) => {
  const episode = await anon.from("lt_episodes").select("title, lt_live_shows(title)").order("id");
  same(episode.data, [
    { title: "One", lt_live_shows: { title: "Alpha" } },
    { title: "Two", lt_live_shows: { title: "Alpha" } },
    { title: "Three", lt_live_shows: null },
  ]);
  const show = await anon.from("lt_live_shows").select("title, lt_episodes(title), lt_recent(title)").eq("live_id", 1)
    .single();
  const titles = [{ title: "One" }, { title: "Two" }];
  same(show.data, { title: "Alpha", lt_episodes: titles, lt_recent: titles });
  const listed = await anon.from("lt_listed").select("listed, lt_shows(title), lt_live_shows(title)").eq(
    "listed",
    "One",
  );
  same(listed.data, [{ listed: "One", lt_shows: { title: "Alpha" }, lt_live_shows: { title: "Alpha" } }]);
  const many = await anon.from("lt_people").select("lt_live_shows(title)").eq("id", 1).single();
  same(many.data, { lt_live_shows: [{ title: "Alpha" }] });
});

restTest("a foreign key's name and column name the table, not its views", async ({ anon }) => {
  const { data } = await anon.from("lt_episodes").select("show_id(title), lt_episodes_show_id_fkey(status)").eq("id", 3)
    .single();
  same(data, { show_id: { title: "Beta" }, lt_episodes_show_id_fkey: { status: "draft" } } as never);
});

restTest("the rows of a function that returns a view embed related tables", async ({ anon }) => {
  const { data } = await anon.rpc("lt_recent_of", { show: 1 }).select("title, lt_shows(title)");
  same(data, [{ title: "One", lt_shows: { title: "Alpha" } }, { title: "Two", lt_shows: { title: "Alpha" } }]);
});

restTest("an unknown relationship names a near one only if there is one", async ({ anon }) => {
  const hintOf = async (table: string, select: string) => (await anon.from(table).select(select)).error!.hint;
  same(await hintOf("lt_shows", "id, lt_episode(id)"), "Perhaps you meant 'lt_episodes' instead of 'lt_episode'.");
  same(await hintOf("lt_shows", "id, zzz(id)"), null);
  same(await hintOf("lt_shows", "id, lt_episodes!nope(id)"), null);
});
