// Hostile JSON and URLs: each service bounds them before it parses them.
import { deepStrictEqual as same, ok } from "node:assert";
import { parseJson } from "../../local/wire/json.ts";
import { stack } from "../stack.ts";
import { waitFor, within } from "../wait_for.ts";

const at = await stack();
const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth);

async function send(path: string, body?: BodyInit, more: Record<string, string> = {}) {
  const headers = { apikey: at.publishableKey, "content-type": "application/json", ...more };
  const response = await fetch(at.url + path, { method: body === undefined ? "GET" : "POST", body, headers });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

Deno.test("parseJson of the stack accepts 64 levels and rejects 65, not counting brackets in strings", () => {
  parseJson(nested(64));
  same(parseJson(`["${"[{".repeat(99)}","\\"[\\\\"]`), ["[{".repeat(99), '"[\\']);
  for (const text of [nested(65), `["\\\\",${nested(64)}]`, '{"a":'.repeat(1_000_000), "["]) {
    let error: unknown;
    try {
      parseJson(text);
    } catch (thrown) {
      error = thrown;
    }
    ok(error instanceof SyntaxError, text.slice(0, 10));
  }
});

Deno.test("auth returns 400 for nested JSON and 413 for more than 1 MB", async () => {
  same((await send("/auth/v1/signup", `{"data":${nested(64)}}`)).body.error_code, "bad_json");
  same((await send("/auth/v1/signup", nested(7000))).status, 400);
  same((await send("/auth/v1/signup", `{"email":"${"x".repeat(2 ** 20)}"}`)).status, 413);
});

Deno.test("REST returns 400 PGRST100 for select, order and logic trees of more than 64 levels", async () => {
  for (
    const query of [
      `or=(${nested(64, "and(", ")")})`,
      `episodes.or=(${nested(64, "and(", ")")})`,
      `not.and=(${"not.and(".repeat(64)}`,
      `select=id,${nested(65, "episodes(", ")")}`,
      `select=funding${"->a".repeat(65)}`,
      `order=funding${"->a".repeat(65)}`,
      `funding${"->a".repeat(65)}=eq.x`,
    ]
  ) {
    const { status, body } = await send(`/rest/v1/podcast_categories?${query}`);
    same([status, body.code, body.details], [400, "PGRST100", "At most 64 levels are allowed"], query.slice(0, 30));
  }
});

Deno.test("REST accepts 63 levels of logic, parentheses in values and many arrows in many columns", async () => {
  for (
    const query of [
      `or=(${nested(63, "and(", ")").replace("()", "(category.eq.x)")})`,
      `category=eq.${"(".repeat(500)}`,
      `or=(category.eq."${"(".repeat(500)}")`,
      `select=category&category=in.(${Array(500).fill('"a(b"')})`,
    ]
  ) {
    same((await send(`/rest/v1/podcast_categories?${query}`)).status, 200, query.slice(0, 30));
  }
});

Deno.test("REST returns 414 for a URL of more than 16 KB, 413 for more than 10 MB, 400 PGRST102 for nested JSON", async () => {
  same((await send(`/rest/v1/podcast_categories?${"a&".repeat(8200)}`)).status, 414);
  for (const type of ["application/json", "Application/JSON; charset=utf-8"]) {
    for (const path of ["/rest/v1/rpc/create_podcast", "/rest/v1/podcasts", "/rest/v1/podcasts?columns=title"]) {
      const deep = await send(path, `{"title":"x","categories":${nested(7000)}}`, { "content-type": type });
      same([deep.status, deep.body.code, deep.body.details], [400, "PGRST102", "At most 64 levels are allowed"]);
    }
  }
  same((await send("/rest/v1/rpc/create_podcast", `{"title":"${"x".repeat(10 * 2 ** 20)}"}`)).status, 413);
});

Deno.test("storage returns 400 for nested JSON and 413 for more than 1 MB", async () => {
  const deep = await send("/storage/v1/object/list/media", `{"prefix":${nested(7000)}}`);
  same([deep.status, deep.body.error], [400, "FastifyError"]);
  const large = await send("/storage/v1/object/list/media", `{"prefix":"${"x".repeat(2 ** 20)}"}`);
  same([large.status, large.body.statusCode], [413, "413"]);
});

/** A socket of realtime with its received messages. */
async function socket(apikey = at.publishableKey) {
  const url = `${at.url.replace("http", "ws")}/realtime/v1/websocket?apikey=${apikey}&vsn=2.0.0`;
  const socket = new WebSocket(url);
  const received: unknown[][] = [];
  const closed = Promise.withResolvers<number>();
  socket.onmessage = ({ data }) => received.push(JSON.parse(data));
  socket.onclose = ({ code }) => closed.resolve(code);
  await within("the socket", new Promise((resolve) => socket.onopen = resolve));
  return { socket, received, closed: () => within("the end of the socket", closed.promise) };
}

const replyTo = (ref: string) => ([, replyRef, , event]: unknown[]) => replyRef === ref && event === "phx_reply";

Deno.test("realtime ignores a deeply nested message and closes on one of more than 5 MB", async () => {
  const { socket: one, received, closed } = await socket();
  one.send(`["1","1","realtime:a","broadcast",${nested(7000)}]`);
  one.send(`["1","2","phoenix","heartbeat",{}]`);
  await waitFor("the heartbeat's reply", () => received.some(replyTo("2")));
  one.send(JSON.stringify(["1", "3", "phoenix", "heartbeat", { x: "x".repeat(5_000_000) }]));
  same(await closed(), 1009);
});

Deno.test("realtime rejects more than 100 subscriptions per channel and more than 100 channels per client", async () => {
  const { socket: one, received, closed } = await socket();
  const join = (ref: string, topic: string, config: object) =>
    one.send(JSON.stringify([ref, ref, `realtime:${topic}`, "phx_join", { config }]));
  join("many", "many", { postgres_changes: Array(101).fill({ event: "*", schema: "public" }) });
  for (let n = 0; n <= 100; n++) join(`${n}`, `bounded-${n}`, {});
  await waitFor("every reply", () => received.filter(([, , , event]) => event === "phx_reply").length === 102);
  const response = (ref: string) => received.find(replyTo(ref))![4];
  same(response("many"), {
    status: "error",
    response: { reason: "At most 100 postgres_changes can be subscribed to per channel" },
  });
  same((response("99") as { status: string }).status, "ok");
  same(response("100"), { status: "error", response: { reason: "ChannelRateLimitReached: Too many channels" } });
  one.close();
  await closed();
});

Deno.test("realtime rejects filters of more than 10 conditions or 65,536 characters, and unknown operators", async () => {
  const { socket: one, received, closed } = await socket(at.secretKey);
  const conditions = (count: number) => Array.from({ length: count }, (_, n) => `total_items=neq.${n}`).join();
  const filters: [filter: string, message: string][] = [
    [conditions(10), "Subscribed to PostgreSQL"],
    [`feed_url=eq."${"a,".repeat(32_000)}"`, "Subscribed to PostgreSQL"],
    [conditions(11), "Error parsing `filter` params: filter must not have more than 10 conditions"],
    [String.raw`(\"`.repeat(100_000), "Error parsing `filter` params: filter must not be longer than 65536 characters"],
    ["total_items=constructor.1", 'Error parsing `filter` params: ["constructor","1"]'],
    [
      "a=eq.1,,b=eq.2",
      "Error parsing `filter` params: filter must not contain empty segments (check for extra commas)",
    ],
  ];
  for (const [n, [filter]] of filters.entries()) {
    const config = { postgres_changes: [{ event: "*", schema: "public", table: "podcast_imports", filter }] };
    one.send(JSON.stringify([`${n}`, `${n}`, `realtime:filter-${n}`, "phx_join", { config }]));
  }
  const systems = () => received.filter(([, , , event]) => event === "system");
  await waitFor("every system message", () => systems().length === filters.length);
  same(
    systems().map(([, , , , payload]) => (payload as { message: string }).message),
    filters.map(([, message]) => message),
  );
  one.close();
  await closed();
});

Deno.test("realtime lists clients whose presence keys are names of object properties", async () => {
  const keys = ["__proto__", "constructor", "toString"], topic = `realtime:${crypto.randomUUID()}`;
  const sockets = await Promise.all(keys.map(() => socket()));
  for (const [n, { socket: one, received }] of sockets.entries()) {
    const send = (ref: string, event: string, payload: object) =>
      one.send(JSON.stringify(["1", ref, topic, event, payload]));
    send("1", "phx_join", { config: { presence: { enabled: true, key: keys[n] } } });
    send("2", "presence", { type: "presence", event: "track", payload: { n } });
    await waitFor("the track's reply", () => received.some(replyTo("2")));
  }
  const { socket: last, received, closed } = await socket();
  last.send(JSON.stringify(["1", "1", topic, "phx_join", { config: { presence: { enabled: true } } }]));
  const state = () => received.find(([, , , event]) => event === "presence_state")?.[4] as object | undefined;
  await waitFor("the presence state", () => state());
  same(Object.keys(state()!), keys);
  for (const { socket } of [...sockets, { socket: last }]) socket.close();
  await Promise.all([closed(), ...sockets.map(({ closed }) => closed())]);
});

/** The answer to a resumable upload without a bucket, with this name in a header and in its metadata. */
async function resumable(name: string) {
  const headers = [["tus-resumable", "1.0.0"], ["upload-length", "1"], ["upload-metadata", `${name} eA==`], [
    name,
    "x",
  ]];
  const response = await fetch(`${at.url}/storage/v1/upload/resumable`, { method: "POST", headers });
  return [response.status, await response.text()];
}

Deno.test("no service looks up a client's text among object properties", async () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    const unknown = await send("/rest/v1/podcast_categories", undefined, { prefer: `handling=strict, ${name}=x` });
    same([unknown.status, unknown.body.code], [400, "PGRST122"], name);
    const link = await send("/auth/v1/admin/generate_link", JSON.stringify({ type: name, email: "a@example.com" }), {
      apikey: at.secretKey,
      authorization: `Bearer ${at.secretKey}`,
    });
    same(link.body.msg, `Invalid email action link type requested: ${name}`);
    same(await resumable(name), await resumable("other"), name);
  }
});
