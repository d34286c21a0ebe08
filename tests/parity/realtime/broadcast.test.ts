// Broadcasts over HTTP and from the database.
import { deepStrictEqual as equal } from "node:assert";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";
import { client, type Event, leave, policies, server, subscribed, test, user } from "./subscribers.ts";

const BLANK = ["can't be blank"], INVALID = ["is invalid"];

/** A channel of the service role with the broadcasts that it receives. */
async function hear(topic: string, isPrivate = false) {
  const service = client(server.secretKey);
  const received: Event[] = [];
  const channel = service.channel(topic, { config: { private: isPrivate } });
  await subscribed(channel.on("broadcast", { event: "*" }, (event) => received.push(event)));
  return { received, channel, [Symbol.asyncDispose]: async () => void await leave(service) };
}

async function post(path: string, body: BodyInit, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/realtime/v1/api/broadcast${path}`, {
    method: "POST",
    headers: { apikey: server.publishableKey, "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}
const batch = (...messages: unknown[]) => post("", JSON.stringify({ messages }));
const as = (token: string) => ({ authorization: `Bearer ${token}` });

test("a batch over HTTP reaches the subscribers of public topics", async () => {
  const topic = "sv-" + crypto.randomUUID();
  await using one = await hear(topic);
  const sent = await batch({ topic, event: "a", payload: { n: 1 } }, { topic, event: "b", payload: {} });
  equal([sent.status, sent.body, sent.headers.get("access-control-allow-origin")], [202, "", "*"]);
  await waitFor("both messages", () => one.received.length === 2);
  equal(one.received, [
    { type: "broadcast", event: "a", payload: { n: 1 } },
    { type: "broadcast", event: "b", payload: {} },
  ]);
});

test("a batch over HTTP with missing or invalid members is rejected as a whole", async () => {
  const topic = "sv-" + crypto.randomUUID();
  const good = { topic, event: "a", payload: {} };
  const rejected = async (messages: unknown) => {
    const { status, body } = await post("", JSON.stringify({ messages }));
    return [status, body.errors?.messages];
  };
  equal(await rejected(undefined), [422, BLANK]);
  equal(await rejected([]), [422, BLANK]);
  equal(await rejected("x"), [422, INVALID]);
  equal(await rejected([good, {}]), [422, [{}, { topic: BLANK, event: BLANK, payload: BLANK }]]);
  equal(await rejected([{ ...good, topic: 1, payload: [1], private: "x" }]), [
    422,
    [{ topic: INVALID, payload: INVALID, private: INVALID }],
  ]);
  equal((await post("", "{")).status, 400);
  equal((await post("", JSON.stringify({ messages: [good] }), as("not.a.token"))).body, { message: "Unauthorized" });
  equal((await post("", "{}", { apikey: "unknown" })).status, 401);
});

test("private messages over HTTP need an insert policy: a batch drops them, a single one is 403", async () => {
  await using sql = asPostgres(server);
  const ana = await user("ana");
  const [topic, other] = [1, 2].map(() => "sv-" + crypto.randomUUID());
  await using _ = await policies(sql, {
    "insert to authenticated": `with check (realtime.topic() = '${topic}' and extension = 'broadcast')`,
  });
  await using heard = await hear(topic, true);
  await using unheard = await hear(other, true);
  const messages = [topic, other].map((topic) => ({ topic, event: "a", payload: { topic }, private: true }));
  equal((await post("", JSON.stringify({ messages }))).status, 202);
  equal((await post("", JSON.stringify({ messages }), as(ana.token))).status, 202);
  await waitFor("the allowed message", () => heard.received.length);
  equal([heard.received.length, unheard.received], [1, []]);
  const single = await post(`/${other}/events/a?private=true`, "{}", as(ana.token));
  equal([single.status, single.body], [403, { message: "Unauthorized" }]);
  equal((await post(`/${topic}/events/b?private=true`, "{}", as(ana.token))).status, 202);
  await waitFor("the single message", () => heard.received.length === 2);
});

test("httpSend delivers JSON and bytes to a topic with any characters", async () => {
  const topic = "sv:room/ü?" + crypto.randomUUID();
  await using one = await hear(topic);
  const sender = client(server.publishableKey);
  equal(await sender.channel(topic).httpSend("hello world", { to: "ünï" }), { success: true });
  equal(await sender.channel(topic).httpSend("bytes", new Uint8Array([1, 2, 255])), { success: true });
  await waitFor("both messages", () => one.received.length === 2);
  equal([one.received[0].event, one.received[0].payload], ["hello world", { to: "ünï" }]);
  equal([...new Uint8Array(one.received[1].payload)], [1, 2, 255]);
  const { status, body } = await post(`/${encodeURIComponent(topic)}/events/a`, "x", { "content-type": "text/plain" });
  equal([status, body], [415, {
    error: "Unsupported Media Type. Use application/json or application/octet-stream",
  }]);
  await leave(sender);
});

test("a payload of more than 3 MB over HTTP is 422, a body of more than 8 MB is 413, an unknown path 404", async () => {
  const large = JSON.stringify({ text: "x".repeat(3_001_000) });
  equal((await post("/sv/events/a", large)).body, { errors: { payload: ["Payload size exceeds tenant limit"] } });
  equal((await post("/sv/events/a", "x".repeat(8_000_001))).status, 413);
  equal((await post("/sv/events", "{}")).status, 404);
});

test("realtime.send delivers to private channels by default, and adds an id to the payload", async () => {
  await using sql = asPostgres(server);
  const topic = "sv-" + crypto.randomUUID();
  await using closed = await hear(topic, true);
  await using open = await hear(topic);
  await sql`select realtime.send(${sql.json({ n: 1 })}, 'made', ${topic})`;
  await sql`select realtime.send(${sql.json({ n: 2, id: "own" })}, 'made', ${topic}, false)`;
  await waitFor("both messages", () => closed.received.length && open.received.length);
  const [{ type, event, payload, meta }] = closed.received;
  equal([type, event, payload], ["broadcast", "made", { n: 1, id: meta.id }]);
  equal(open.received[0].payload, { n: 2, id: "own" });
});

test("realtime.send_binary and an insert into realtime.messages are delivered", async () => {
  await using sql = asPostgres(server);
  const topic = "sv-" + crypto.randomUUID();
  await using one = await hear(topic, true);
  await sql`select realtime.send_binary('\\x0102ff'::bytea, 'bytes', ${topic})`;
  await sql`
    insert into realtime.messages (topic, extension, event, payload, private)
    values (${topic}, 'broadcast', 'row', '{"n": 1}', true)`;
  await waitFor("both messages", () => one.received.length === 2);
  equal([...new Uint8Array(one.received[0].payload)], [1, 2, 255]);
  equal([one.received[1].event, one.received[1].payload], ["row", { n: 1 }]);
});

test("a trigger with realtime.broadcast_changes sends the row before and after", async () => {
  await using sql = asPostgres(server);
  const table = "sv_rows_" + crypto.randomUUID().slice(0, 8);
  await using one = await hear(table, true);
  await sql.unsafe(`
    create table ${table} (id int primary key, title text);
    create function ${table}() returns trigger language plpgsql as $$
    begin
      perform realtime.broadcast_changes('${table}', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
      return null;
    end $$;
    create trigger send after insert or update or delete on ${table} for each row execute function ${table}();
    insert into ${table} values (1, 'a'); update ${table} set title = 'b'; delete from ${table};`).simple();
  await waitFor("three messages", () => one.received.length === 3);
  const common = { table, schema: "public" };
  equal(one.received.map(({ event, payload: { id: _, ...payload } }) => [event, payload]), [
    ["INSERT", { ...common, operation: "INSERT", record: { id: 1, title: "a" }, old_record: null }],
    ["UPDATE", { ...common, operation: "UPDATE", record: { id: 1, title: "b" }, old_record: { id: 1, title: "a" } }],
    ["DELETE", { ...common, operation: "DELETE", record: null, old_record: { id: 1, title: "b" } }],
  ]);
  await sql.unsafe(`drop table ${table}; drop function ${table}`).simple();
});

test("realtime.send without the right to insert is a warning and does not fail the transaction", async () => {
  await using sql = asPostgres(server);
  const topic = "sv-" + crypto.randomUUID();
  await sql.begin(async (sql) => {
    await sql`set local role authenticated`;
    await sql`select realtime.send('{}', 'made', ${topic})`;
    equal((await sql`select 1 as works`)[0], { works: 1 });
  });
  equal((await sql`select from realtime.messages where topic = ${topic}`).length, 0);
});
