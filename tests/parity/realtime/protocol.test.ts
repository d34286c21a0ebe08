// What Realtime sends on the wire: replies, closes and errors of both protocol versions.
import { deepStrictEqual as equal, match } from "node:assert";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";
import { server, test, user } from "./subscribers.ts";
import { type Frame, openWire } from "./wire.ts";

const topicName = () => "realtime:sv-" + crypto.randomUUID();
const OK = { status: "ok", response: {} };
const failure = (reason: string) => ({ status: "error", response: { reason } });

test("unknown topics, joins without a name and messages of unjoined channels get an error", async () => {
  await using wire = await openWire();
  equal(await wire.ask("phoenix", "heartbeat"), OK);
  equal(await wire.ask("other:topic", "phx_join"), failure("unmatched topic"));
  equal(await wire.ask("realtime:", "phx_join"), failure("TopicNameRequired: You must provide a topic name"));
  equal(await wire.ask(topicName(), "broadcast"), failure("unmatched topic"));
  equal(await wire.ask(topicName(), "phx_leave"), OK);
});

test("malformed frames are ignored and the connection stays open", async () => {
  await using wire = await openWire();
  for (
    const frame of ["", "{", "null", "[]", "[1,2,3]", `["1","1",{},[],{}]`, new Uint8Array([9, 1]), new Uint8Array()]
  ) {
    wire.socket.send(frame);
  }
  const topic = topicName();
  for (const config of [null, "x", 1, [], { postgres_changes: { length: 3 }, broadcast: 1, presence: "x" }]) {
    equal((await wire.ask(topic, "phx_join", { config })).status, "ok");
  }
  equal(await wire.ask("phoenix", "heartbeat"), OK);
});

test("a second join of a topic closes the first, and a leave closes the channel", async () => {
  await using wire = await openWire();
  const topic = topicName();
  await wire.ask(topic, "phx_join");
  await wire.ask(topic, "phx_join");
  const closes = () => wire.frames.filter(([, , , event]) => event === "phx_close").length;
  equal(closes(), 1);
  equal(await wire.ask(topic, "phx_leave"), OK);
  await waitFor("the close", () => closes() === 2);
});

test("protocol 1.0.0 sends objects and receives the JSON of binary frames, but no bytes", async () => {
  await using old = await openWire(server.publishableKey, server.url, "1.0.0");
  await using current = await openWire();
  const topic = topicName();
  for (const wire of [old, current]) equal((await wire.ask(topic, "phx_join")).status, "ok");
  const frame = (encoding: number, body: Uint8Array) => {
    const text = new TextEncoder();
    const parts = ["1", "1", topic, "wave", ""].map((part) => text.encode(part));
    return new Uint8Array([
      3,
      ...parts.map(({ length }) => length),
      encoding,
      ...parts.flatMap((part) => [...part]),
      ...body,
    ]);
  };
  current.socket.send(frame(0, Uint8Array.of(1, 2)));
  current.socket.send(frame(1, new TextEncoder().encode('{"to":"all"}')));
  const broadcasts = () => old.frames.filter(([, , , event]) => event === "broadcast");
  await waitFor("the JSON", () => broadcasts().length);
  equal(broadcasts(), [
    [null, null, topic, "broadcast", { type: "broadcast", event: "wave", payload: { to: "all" } }] as Frame,
  ]);
});

test("an unsupported protocol version is 403, an unknown or missing key 401, a plain GET 400", async () => {
  const status = async (query: string, headers: HeadersInit = { upgrade: "websocket", connection: "upgrade" }) => {
    const response = await fetch(`${server.url}/realtime/v1/websocket?${query}`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  equal(await status(`apikey=${server.publishableKey}`, {}), 400);
  equal([await status("apikey=unknown", {}), await status("", {})], [401, 401]);
});

test("a private channel is denied with Realtime's words, also without supabase-js", async () => {
  await using wire = await openWire();
  const topic = topicName();
  const name = topic.slice("realtime:".length);
  const config = { private: "True" };
  const reason = `Unauthorized: You do not have permissions to read from this Channel topic: ${name}`;
  equal(await wire.ask(topic, "phx_join", { config }), failure(reason));
  equal(
    await wire.ask(topic, "phx_join", { access_token: "x", config }),
    failure("MalformedJWT: The token provided is not a valid JWT"),
  );
});

test("replay on a public channel is an error", async () => {
  await using wire = await openWire();
  const config = { broadcast: { replay: { since: 0 } } };
  equal(
    await wire.ask(topicName(), "phx_join", { config }),
    failure("UnableToReplayMessages: Replay is not allowed for public channels"),
  );
});

test("a channel that asks for it is told that broadcasts of the database will arrive", async () => {
  await using sql = asPostgres(server);
  await using wire = await openWire(server.secretKey);
  const topic = topicName();
  await wire.ask(topic, "phx_join", { config: { private: true, broadcast: { replication_ready: true } } });
  const system = await waitFor("the system message", () => wire.frames.find(([, , , event]) => event === "system"));
  equal([system[4].status, system[4].message], ["ok", "Replication connection established"]);
  await sql`select realtime.send('{}', 'made', ${topic.slice("realtime:".length)})`;
  await waitFor("the broadcast", () => wire.frames.some(([, , , event]) => event === "broadcast"));
});

test("presence: state on join, diffs, an invalid payload, an unknown event and too many calls", async () => {
  await using one = await openWire();
  await using two = await openWire();
  const topic = topicName();
  const join = (key: string) => ({ config: { presence: { enabled: true, key } } });
  const track = (payload: unknown) => ({ type: "presence", event: "track", payload });
  await one.ask(topic, "phx_join", join("one"));
  equal(await one.ask(topic, "presence", track({ n: 1 })), OK);
  equal(await one.ask(topic, "presence", track([1])), failure("Presence track payload must be a map"));
  equal(await one.ask(topic, "presence", { event: "dance" }), { status: "error", response: {} });
  await two.ask(topic, "phx_join", join("two"));
  const state = await waitFor("the state", () => two.frames.find(([, , , event]) => event === "presence_state"));
  equal(state[4].one.metas.map(({ n }: { n: number }) => n), [1]);
  equal(await one.ask(topic, "presence", { event: "UNTRACK" }), OK);
  const diff = await waitFor("the diff", () => two.frames.find(([, , , event]) => event === "presence_diff"));
  equal([Object.keys(diff[4].joins), Object.keys(diff[4].leaves)], [[], ["one"]]);
  equal(await one.ask(topic, "presence", track({ n: 2 })), OK);
  one.socket.send(JSON.stringify([topic, "6", topic, "presence", track({ n: 3 })]));
  const systems = () => one.frames.filter(([, , , event]) => event === "system");
  await waitFor("the end of the channel", () => systems().length);
  match(systems()[0][4].message, /^Client presence rate limit exceeded$/);
});

test("a payload of more than 3 MB is not delivered, and acknowledged as an error", async () => {
  await using wire = await openWire();
  const topic = topicName();
  await wire.ask(topic, "phx_join", { config: { broadcast: { ack: true, self: true } } });
  const send = (length: number) =>
    wire.ask(topic, "broadcast", { type: "broadcast", event: "a", payload: { text: "x".repeat(length) } });
  equal((await send(3_001_000)).status, "error");
  equal((await send(10)).status, "ok");
  const delivered = () => wire.frames.filter(([, , , event]) => event === "broadcast").length;
  await waitFor("the small payload", delivered);
  equal(delivered(), 1);
});

test("a user's token of a private channel is one that names a role and an end", async () => {
  const { token } = await user("ana");
  await using wire = await openWire();
  equal((await wire.ask(topicName(), "phx_join", { access_token: token })).status, "ok");
});
