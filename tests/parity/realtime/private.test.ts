// Private channels: the policies of realtime.messages decide who joins, who sends and who sees presence.
import { deepStrictEqual as equal, match, ok } from "node:assert";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";
import { client, type Event, leave, policies, refusal, server, subscribed, test, user } from "./subscribers.ts";

const privately = (more: Record<string, unknown> = {}) => ({ config: { private: true, ...more } });
const denied = (topic: string) =>
  new RegExp(`^Unauthorized: You do not have permissions to read from this Channel topic: ${topic}$`);

test("without policies, every private channel is denied to users and to anonymous clients", async () => {
  const [anon, { client: ana }] = [client(server.publishableKey), await user("ana")];
  for (const who of [anon, ana]) {
    const topic = "sv-private-" + crypto.randomUUID();
    match(await refusal(who.channel(topic, privately())) ?? "", denied(topic));
  }
  await leave(anon, ana);
});

test("the service role joins private channels past the policies", async () => {
  const service = client(server.secretKey);
  equal(await refusal(service.channel("sv-" + crypto.randomUUID(), privately())), undefined);
  await leave(service);
});

test("a select policy on realtime.topic() and auth.uid() decides who joins a private channel", async () => {
  await using sql = asPostgres(server);
  const [ana, bob] = [await user("ana"), await user("bob")];
  await using _ = await policies(sql, {
    "select to authenticated": "using (realtime.topic() = 'sv-of-' || (select auth.uid()) and extension = 'broadcast')",
  });
  equal(await refusal(ana.client.channel(`sv-of-${ana.id}`, privately())), undefined);
  match(await refusal(bob.client.channel(`sv-of-${ana.id}`, privately())) ?? "", denied(`sv-of-${ana.id}`));
  equal(await refusal(bob.client.channel(`sv-of-${ana.id}-public`)), undefined, "public channels need no policy");
  await leave(ana.client, bob.client);
});

test("an insert policy decides who sends to a private channel; the others' messages have no effect", async () => {
  await using sql = asPostgres(server);
  const [ana, bob] = [await user("ana"), await user("bob")];
  const topic = "sv-" + crypto.randomUUID();
  await using _ = await policies(sql, {
    "select to authenticated": `using (realtime.topic() = '${topic}')`,
    "insert to authenticated": `with check (realtime.topic() = '${topic}' and (select auth.uid()) = '${ana.id}')`,
  });
  const received: Event[] = [];
  const config = privately({ broadcast: { ack: true } });
  const [anas, bobs] = [ana.client.channel(topic, config), bob.client.channel(topic, config)];
  for (const channel of [anas, bobs]) {
    await subscribed(channel.on("broadcast", { event: "*" }, (event) => received.push(event)));
  }
  equal(await bobs.send({ type: "broadcast", event: "wave", payload: {} }, { timeout: 500 }), "timed out");
  equal(await anas.send({ type: "broadcast", event: "wave", payload: { by: "ana" } }), "ok");
  await waitFor("ana's message", () => received.length);
  equal(received.map(({ payload }) => payload), [{ by: "ana" }]);
  equal(Number((await sql`select count(*) from realtime.messages where topic = ${topic}`)[0].count), 0);
  await leave(ana.client, bob.client);
});

test("a private and a public channel of one name exchange no messages", async () => {
  const [one, two] = [client(server.secretKey), client(server.secretKey)];
  const topic = "sv-" + crypto.randomUUID();
  const received: string[] = [];
  const join = async (who: typeof one, name: string, isPrivate: boolean) => {
    const channel = who.channel(topic, { config: { private: isPrivate, broadcast: { ack: true } } });
    await subscribed(channel.on("broadcast", { event: "*" }, ({ event }) => received.push(`${name} ${event}`)));
    return channel;
  };
  await join(one, "private", true);
  const open = await join(two, "public", false);
  await open.send({ type: "broadcast", event: "unheard", payload: {} });
  await one.channel(topic, privately()).httpSend("heard", {});
  await waitFor("the private message", () => received.length);
  equal(received, ["private heard"]);
  await leave(one, two);
});

test("presence of a private channel has policies of its own", async () => {
  await using sql = asPostgres(server);
  const [ana, bob] = [await user("ana"), await user("bob")];
  const topic = "sv-" + crypto.randomUUID();
  await using _ = await policies(sql, {
    "select to authenticated":
      `using (realtime.topic() = '${topic}' and (extension = 'broadcast' or (select auth.uid()) = '${ana.id}'))`,
    "insert to authenticated": `with check (realtime.topic() = '${topic}' and (select auth.uid()) = '${ana.id}')`,
  });
  const config = (key: string) => privately({ presence: { key } });
  const [anas, bobs] = [ana.client.channel(topic, config("ana")), bob.client.channel(topic, config("bob"))];
  const seen: string[] = [];
  for (const channel of [anas, bobs]) {
    await subscribed(channel.on("presence", { event: "join" }, ({ key }) => seen.push(key)));
  }
  equal(await bobs.track({}), "error");
  equal(await anas.track({}), "ok");
  await waitFor("ana's presence", () => seen.length);
  equal([seen, Object.keys(anas.presenceState()), Object.keys(bobs.presenceState())], [["ana"], ["ana"], []]);
  await leave(ana.client, bob.client);
});

test("a new token that may not read ends the private channel", async () => {
  await using sql = asPostgres(server);
  const [ana, bob] = [await user("ana"), await user("bob")];
  const topic = "sv-" + crypto.randomUUID();
  await using _ = await policies(sql, {
    "select to authenticated": `using (realtime.topic() = '${topic}' and (select auth.uid()) = '${ana.id}')`,
  });
  const guest = client(server.publishableKey);
  await guest.realtime.setAuth(ana.token);
  const systems: Event[] = [];
  const channel = guest.channel(topic, privately()).on("system", {}, (message) => systems.push(message));
  await subscribed(channel);
  await guest.realtime.setAuth(bob.token);
  await waitFor("the end of the channel", () => channel.state === "closed");
  match(systems.at(-1).message, /^You do not have permissions to read from this Channel topic: /);
  await leave(guest);
});

test("a policy that fails denies the channel, and no error of the database reaches the client", async () => {
  await using sql = asPostgres(server);
  const { client: ana } = await user("ana");
  const topic = "sv-fails-" + crypto.randomUUID();
  await using _ = await policies(sql, {
    "select to authenticated":
      "using (case when realtime.topic() like 'sv-fails-%' then 1 / (length(topic) - length(topic)) > 0 end)",
  });
  const error = await refusal(ana.channel(topic, privately()));
  match(error ?? "", denied(topic));
  ok(!error?.includes("zero"));
  await leave(ana);
});

test("a private channel replays the last broadcasts of the database", async () => {
  await using sql = asPostgres(server);
  const service = client(server.secretKey);
  const topic = "sv-" + crypto.randomUUID();
  const since = Date.now() - 1000;
  for (const n of [1, 2, 3]) await sql`select realtime.send(${sql.json({ n })}, 'count', ${topic}, true)`;
  const received: Event[] = [];
  const channel = service.channel(topic, privately({ broadcast: { replay: { since, limit: 2 } } }));
  await subscribed(channel.on("broadcast", { event: "*" }, (event) => received.push(event)));
  const replayed = () => received.filter(({ meta }) => meta.replayed);
  await waitFor("the replayed messages", () => replayed().length === 2);
  equal(replayed().map(({ payload, meta }) => [payload.n, payload.id === meta.id]), [[2, true], [3, true]]);
  const wrong = service.channel(`${topic}-wrong`, privately({ broadcast: { replay: { since: "today" } } }));
  equal(await refusal(wrong), "UnableToReplayMessages: Replay params are not valid");
  await leave(service);
});
