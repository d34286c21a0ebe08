// How a call finds its function: overloads, unnamed and variadic parameters, row types, and functions of rows.
import { deepStrictEqual as same } from "node:assert";
import { restTest } from "./fixture.ts";

restTest("a function with one unnamed parameter takes the whole body of its media type", async ({ anon, raw }) => {
  const post = async (name: string, type: string, body: BodyInit) => {
    const response = await raw(`/rpc/${name}`, { method: "POST", headers: { "content-type": type }, body });
    return [response.status, await response.json()];
  };
  same(await post("lt_unnamed_text", "text/plain", "ab"), [200, "AB"]);
  same(await post("lt_unnamed_bytes", "application/octet-stream", new Uint8Array([0, 255, 128])), [200, 3]);
  same(await post("lt_unnamed_json", "application/json", `{"x": "1", "y": 2}`), [200, "1"]);
  same((await anon.rpc("lt_unnamed_text", { "": "c" })).data, `{"":"C"}`);
  same(await post("lt_echo", "text/plain", "ab"), [404, {
    code: "PGRST202",
    message: "Could not find the function public.lt_echo in the schema cache",
    details: "Searched for the function public.lt_echo with a single unnamed text parameter, but no matches were " +
      "found in the schema cache.",
    hint: null,
  }]);
});

restTest("a function with an unnamed parameter of another type cannot be called", async ({ anon }) => {
  const { status, error } = await anon.rpc("lt_unnamed_int", { "": 1 });
  same([status, error], [404, {
    code: "PGRST202",
    message: "Could not find the function public.lt_unnamed_int() in the schema cache",
    details: "Searched for the function public.lt_unnamed_int with parameter  or with a single unnamed json/jsonb " +
      "parameter, but no matches were found in the schema cache.",
    hint: "Perhaps you meant to call the function public.lt_unnamed_text",
  }]);
});

restTest("only overloads that fit the arguments are ambiguous", async ({ anon }) => {
  const message = async (args: Record<string, unknown>) => {
    const { status, error } = await anon.rpc("lt_over", args);
    return [status, error!.code, error!.message.split("between: ")[1]];
  };
  same(await message({}), [300, "PGRST203", "public.lt_over(), public.lt_over(b => boolean)"]);
  same(await message({ a: 1 }), [300, "PGRST203", "public.lt_over(a => integer), public.lt_over(a => text)"]);
  same((await anon.rpc("lt_over", { b: false })).data, "b");
});

restTest("an unknown function or parameter has the nearest one as hint", async ({ anon }) => {
  const hintOf = async (name: string, args: Record<string, unknown>) => (await anon.rpc(name, args)).error!.hint;
  same(await hintOf("lt_pair", { a: 1, bb: 2 }), "Perhaps you meant to call the function public.lt_pair(a, b)");
  same(await hintOf("lt_greet", { nam: "x" }), "Perhaps you meant to call the function public.lt_greet(name, times)");
  same(await hintOf("lt_pairs", {}), "Perhaps you meant to call the function public.lt_pair");
  same(await hintOf("lt_greet", { zzz: "x" }), null);
  same(await hintOf("lt_greet", { ["name, times".repeat(200_000)]: "x" }), null);
});

restTest("arguments may be rows, several values, or longer than their type", async ({ anon, raw }) => {
  same((await anon.rpc("lt_title_of", { show: { title: "New" } })).data, "New");
  same((await anon.rpc("lt_join", { separator: "-", words: ["a", "b"] })).data, "a-b");
  same(await (await raw("/rpc/lt_join?separator=%2B&words=a&words=b,c")).json(), "a+b,c");
  const form = await raw("/rpc/lt_join", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "separator=.&words=a&words=b",
  });
  same(await form.json(), "a.b");
  same((await anon.rpc("lt_code", { code: "abc" })).data, "abc");
  const csv = await raw("/rpc/lt_pair", { method: "POST", headers: { "content-type": "text/csv" }, body: "a,b\n1,x" });
  same(await csv.json(), [{ number: 1, word: "x" }]);
});

restTest("a function of the row is a column of tables and of results, also in filters and orders", async ({ anon }) => {
  const rows = await anon.from("lt_episodes").select("title, lt_initial").neq("lt_initial", "O").order("lt_initial")
    .order("id");
  same(rows.data, [{ title: "Two", lt_initial: "T" }, { title: "Three", lt_initial: "T" }] as never);
  const result = await anon.rpc("lt_long_episodes", { minutes: 1 }).select("title, lt_initial").eq("lt_initial", "T");
  same(result.data, [{ title: "Two", lt_initial: "T" }] as never);
  const filtered = await anon.rpc("lt_long_episodes", { minutes: 1 }).select("title").eq("id", 2);
  same(filtered.data, [{ title: "Two" }]);
  const embedded = await anon.from("lt_shows").select("lt_episodes(lt_initial)").eq("id", 2).single();
  same(embedded.data, { lt_episodes: [{ lt_initial: "T" }] } as never);
});

restTest("a result is ordered by its selected columns only", async ({ anon }) => {
  const { status, error } = await anon.rpc("lt_long_episodes", { minutes: 1 }).select("title").order("id");
  same([status, error!.code], [400, "42703"]);
});

restTest("a result is filtered by an embedded table if all its columns are selected", async ({ anon }) => {
  const episodes = () => anon.rpc("lt_long_episodes", { minutes: 1 });
  const live = await episodes().select("*, lt_shows!inner(status)").eq("lt_shows.status", "live");
  same((live.data as { id: number }[]).map(({ id }) => id), [1, 2]);
  same((await episodes().select("*, lt_shows(id)").is("lt_shows", null)).data, []);
  // PostgREST asks the function for the columns of every filter, also of those on embedded tables
  const listed = [
    await episodes().select("title, lt_shows!inner(status)").eq("lt_shows.status", "live"),
    await episodes().select("title, lt_shows(id)").is("lt_shows", null),
  ];
  same(listed.map(({ status, error }) => [status, error!.code]), [[400, "42703"], [400, "42703"]]);
  const shared = await episodes().select("title, lt_shows!inner(status)").eq("lt_shows.id", 1);
  const lt_shows = { status: "live" };
  same(shared.data, [{ title: "One", lt_shows }, { title: "Two", lt_shows }] as never);
});
