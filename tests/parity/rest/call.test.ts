// Calling functions through the stack as PostgREST does it.
import { deepStrictEqual as same } from "node:assert";
import { client, restTest } from "./fixture.ts";

restTest("POST and GET pass arguments by name, with defaults for absent ones", async ({ anon }) => {
  same((await anon.rpc("lt_greet")).data, "hello world ");
  same((await anon.rpc("lt_greet", { times: 2 })).data, "hello world hello world ");
  same((await anon.rpc("lt_greet", { name: "ana" }, { get: true })).data, "hello ana ");
  same((await anon.rpc("lt_ids", { ids: [3, 1] })).data, [3, 1]);
  same((await anon.rpc("lt_ids", { ids: [3, 1] }, { get: true })).data, [3, 1]);
  same((await anon.rpc("lt_ids", { ids: [] })).data, []);
  same((await anon.rpc("lt_is_null", { value: null })).data, true);
  same((await anon.rpc("lt_is_null", { value: "null" })).data, false);
});

restTest("a jsonb argument is the JSON of the request", async ({ anon }) => {
  for (const args of [{ a: [1, "2", null, { b: "it's" }] }, [1, "x"], "abc", "[1]", "5", 5, true, []]) {
    same((await anon.rpc("lt_echo", { args })).data, args);
  }
  same((await anon.rpc("lt_echo", { args: null })).data, null);
});

restTest("each kind of function result has its form", async ({ anon }) => {
  same((await anon.rpc("lt_when")).data, "2026-11-21T04:50:25.808097+00:00");
  same((await anon.rpc("lt_pair", { a: 1, b: "x" })).data, [{ number: 1, word: "x" }]);
  same((await anon.rpc("lt_one_episode", { id: 1 })).data.title, "One");
  const nothing = await anon.rpc("lt_nothing");
  same([nothing.status, nothing.data], [204, null]);
});

restTest("GET and stable functions cannot write", async ({ anon, sql }) => {
  const next = async () => (await sql`select last_value::int as n from public.lt_shows_id_seq`)[0].n;
  const before = await next();
  for (
    const { status, error } of [
      await anon.rpc("lt_write_volatile", {}, { get: true }),
      await anon.rpc("lt_write_stable"),
    ]
  ) same([status, error!.code], [405, "25006"]);
  same(await next(), before);
  same((await anon.rpc("lt_write_volatile")).data, before + 1);
});

restTest("a raised PTnnn is the HTTP status nnn with message, code and detail", async ({ ana }) => {
  for (const status of [400, 401, 403, 404, 409, 410, 413, 422, 428, 429, 500, 503]) {
    const response = await ana.rpc("lt_raise", {
      state: `PT${status}`,
      sentence: "No.",
      code: "THE_CODE",
      more: '{"a":1}',
    });
    const { code, message, hint, details } = response.error!;
    same([response.status, code, message, hint, details], [status, `PT${status}`, "No.", "THE_CODE", '{"a":1}']);
  }
});

restTest("Every class of SQLSTATE has PostgREST's status", async ({ ana, anon }) => {
  const expected: Record<number, string[]> = {
    400: ["P0001", "23514", "23502", "23P01", "22P02", "22003", "22023", "0A000", "44000", "42703", "42601"],
    403: ["42501", "28000", "0L000", "0P000"],
    404: ["42883", "42P01"],
    405: ["25006"],
    409: ["23503", "23505"],
    500: [
      "40001",
      "40P01",
      "53400",
      "54001",
      "55P03",
      "57014",
      "58000",
      "P0002",
      "P0004",
      "XX000",
      "2D000",
      "21000",
      "25P01",
    ],
    503: ["08006", "53300", "57P01"],
  };
  for (const [status, states] of Object.entries(expected)) {
    for (const state of states) {
      const response = await ana.rpc("lt_raise", { state, sentence: "x" });
      same([state, response.status, response.error!.code], [state, Number(status), state]);
    }
  }
  same((await anon.rpc("lt_raise", { state: "42501", sentence: "x" })).status, 401);
});

restTest("an error by response.status commits, a raised one rolls back", async ({ anon, raw, sql }) => {
  const response = await raw("/rpc/lt_refuse", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"note":"kept","how":"return"}',
  });
  same([response.status, response.headers.get("retry-after")], [429, "60"]);
  same(await response.json(), { error: "wait" });
  same((await anon.rpc("lt_refuse", { note: "lost", how: "raise" })).status, 429);
  same((await sql`select note from public.lt_private`).map(({ note }) => note), ["kept"]);
});

restTest(
  "a function reads claims, method and headers, and has its statement timeout",
  async ({ anon, ana, user, stack }) => {
    const setting = async (of: typeof anon, name: string) => (await of.rpc("lt_setting", { name })).data;
    same(await setting(anon, "role"), "anon");
    same(await setting(anon, "statement_timeout"), "3s");
    same(await setting(ana, "role"), "authenticated");
    same(await setting(ana, "statement_timeout"), "8s");
    same(await setting(client(stack, stack.secretKey), "role"), "service_role");
    same(JSON.parse(await setting(ana, "request.jwt.claims")).sub, user.id);
    same(await setting(ana, "request.method"), "POST");
    same(await setting(ana, "request.path"), "/rpc/lt_setting");
    same(JSON.parse(await setting(ana, "request.headers")).apikey, stack.publishableKey);
    same((await ana.rpc("lt_patient")).data, "77s");
  },
);

restTest("a statement that exceeds its timeout is canceled", async ({ anon }) => {
  const { status, error } = await anon.rpc("lt_slow");
  same([status, error!.code], [500, "57014"]);
});

restTest("an unknown function, or one with other arguments, is 404", async ({ anon, raw }) => {
  for (const [name, args] of [["lt_gree", {}], ["lt_greet", { nope: 1 }], ["lt_is_null", {}]] as const) {
    const { status, error } = await anon.rpc(name, args);
    same([status, error!.code], [404, "PGRST202"]);
  }
  same((await raw("/rpc/lt_greet", { method: "PUT", body: "{}" })).status, 405);
});
