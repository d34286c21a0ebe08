// Tokens, channels between clients, and lost, rejected or stalled connections.
import type { RealtimeChannel, SupabaseClient } from "@supabase/supabase-js";
import { deepStrictEqual as equal, match, ok } from "node:assert";
import { devKeys } from "../../../local/auth/keys.ts";
import { createTokens } from "../../../local/auth/tokens.ts";
import { startHttpServer } from "../../http_server.ts";
import { startProjectServer } from "../../project_cluster.ts";
import { folderOfFile } from "../../temporary_folder.ts";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";
import {
  client,
  type Event,
  leave,
  listen,
  notes,
  server,
  subscribed,
  test,
  user,
} from "../../parity/realtime/subscribers.ts";
import { startRealtime } from "./realtime_service.ts";

test("realtime rejects a foreign token", async () => {
  const { token } = await user("ana");
  const [head, , signature] = token.split(".");
  const forged = client(server.publishableKey);
  await forged.realtime.setAuth(
    [head, btoa(JSON.stringify({ role: "service_role", exp: 4102444800 })), signature].join("."),
  );
  const error = await subscribed(forged.channel("sv-forged")).then(() => undefined, (error) => error);
  match(String(error), /JwtSignatureError: Failed to validate JWT signature/);
  await leave(forged);
});

test("realtime rejects an expired token, and ends the channel of one that expires", async () => {
  const { publishable, secret, jwtSecret } = devKeys, folder = await folderOfFile("castbase-keys-");
  const { sign, claims } = await createTokens({ file: `${folder}/jwk.json`, publishable, secret, jwtSecret });
  await using own = await startRealtime(server.dbUrl, claims);
  const now = Math.floor(Date.now() / 1000);
  const guest = client(own.publishableKey, own.url);
  await guest.realtime.setAuth(await sign({ role: "authenticated", sub: crypto.randomUUID(), exp: now - 5 }));
  const error = await subscribed(guest.channel("sv-late")).then(() => undefined, (error) => error);
  match(String(error), /InvalidJWTToken: Token has expired \d+ seconds ago/);
  // A token that expires before it reaches the server is rejected: the next one is valid twice as long
  const joinedFor = async (seconds: number): Promise<RealtimeChannel> => {
    const exp = Math.floor(Date.now() / 1000) + seconds;
    await guest.realtime.setAuth(await sign({ role: "authenticated", sub: crypto.randomUUID(), exp }));
    const channel = guest.channel(`sv-short-${seconds}`);
    const error = await subscribed(channel).then(() => undefined, (error) => error);
    if (!error) return channel;
    match(String(error), /InvalidJWTToken: Token has expired \d+ seconds ago/);
    await guest.removeChannel(channel);
    return await joinedFor(2 * seconds);
  };
  const channel = await joinedFor(2);
  await waitFor("the end of the channel", () => channel.state === "closed");
  await leave(guest);
});

test("a refreshed token changes the visible rows, and an invalid one ends the channel", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  const [ana, bob] = [await user("ana"), await user("bob")];
  const guest = client(server.publishableKey);
  await guest.realtime.setAuth(ana.token);
  const { channel, events, systems } = await listen(guest, { table: made.table, event: "INSERT" });
  await sql`insert into ${sql(made.table)} (owner, title) values (${bob.id}, 'unseen'), (${ana.id}, 'as ana')`;
  await waitFor("ana's row", () => events.length);
  await guest.realtime.setAuth(bob.token);
  // The token and the heartbeat travel in one order, so the reply to the second proves that the first has arrived
  await waitFor("bob's row", async () => {
    await sql`insert into ${sql(made.table)} (owner, title) values (${bob.id}, 'as bob')`;
    return events.some((event: Event) => event.new.title === "as bob");
  });
  equal(events[0].new.title, "as ana");
  await guest.realtime.setAuth("not.a.token");
  await waitFor("the end of the channel", () => channel.state === "closed");
  equal([systems.at(-1).status, systems.at(-1).message], ["error", "The token provided is not a valid JWT"]);
  await leave(guest);
});

test("broadcasts reach the other clients of a topic, and presence lists them", async () => {
  const [one, two] = [client(server.publishableKey), client(server.publishableKey)];
  const topic = "sv-" + crypto.randomUUID();
  const received: Event[] = [];
  const first = one.channel(topic, { config: { presence: { key: "one" } } }).on(
    "broadcast",
    { event: "*" },
    (event) => received.push(event),
  )
    .on("presence", { event: "sync" }, () => {});
  const second = two.channel(topic, { config: { broadcast: { ack: true }, presence: { key: "two" } } })
    .on("presence", { event: "sync" }, () => {}).on(
      "broadcast",
      { event: "*" },
      (event) => received.push({ ...event, own: true }),
    );
  await Promise.all([subscribed(first), subscribed(second)]);
  equal(await second.send({ type: "broadcast", event: "wave", payload: { to: "ünï" } }), "ok");
  equal(
    await second.send({ type: "broadcast", event: "bytes", payload: new Uint8Array([1, 2, 255]).buffer as never }),
    "ok",
  );
  await waitFor("both broadcasts", () => received.length === 2);
  equal([received[0].event, received[0].payload, received[1].event], ["wave", { to: "ünï" }, "bytes"]);
  equal([...new Uint8Array(received[1].payload)], [1, 2, 255]);
  equal(await second.track({ typing: true }), "ok");
  await waitFor("two's presence", () => first.presenceState<{ typing: boolean }>().two?.[0].typing);
  await leave(two);
  await waitFor("two's absence", () => !("two" in first.presenceState()));
  await leave(one);
});

test("realtime rejects a connection without a key of the project", async () => {
  const response = await fetch(`${server.url}/realtime/v1/websocket?apikey=sb_publishable_wrong&vsn=2.0.0`);
  equal(response.status, 401);
  await response.body?.cancel();
});

test("the stream resumes after a lost database connection", async () => {
  await using database = await startProjectServer();
  await using own = await startRealtime(database.url);
  await using sql = asPostgres({ dbUrl: database.url });
  await using admin = asPostgres({ dbUrl: database.url }, { username: "supabase_admin" });
  await using made = await notes(sql);
  const service = client(own.secretKey, own.url);
  const { events } = await listen(service, { table: made.table });
  const [{ cut }] = await admin`select pg_terminate_backend(active_pid) as cut from pg_replication_slots`;
  ok(cut);
  await waitFor("an event after the cut", async () => {
    await sql`insert into ${sql(made.table)} (title) values ('again')`;
    return events.length;
  });
  await leave(service);
});

test("subscribers reconnect when the server restarts", async () => {
  await using database = await startProjectServer();
  await using sql = asPostgres({ dbUrl: database.url });
  let target = "";
  // A door that stays open while the servers behind it change
  await using door = startHttpServer((request) => {
    const { pathname, search } = new URL(request.url);
    const inside = new WebSocket(target.replace("http", "ws") + pathname + search);
    const { socket, response } = Deno.upgradeWebSocket(request);
    const waiting: string[] = [];
    socket.onmessage = ({ data }) => inside.readyState === WebSocket.OPEN ? inside.send(data) : waiting.push(data);
    inside.onopen = () => waiting.forEach((data) => inside.send(data));
    inside.onmessage = ({ data }) => socket.readyState === WebSocket.OPEN && socket.send(data);
    inside.onclose = inside.onerror = () => socket.readyState === WebSocket.OPEN && socket.close();
    socket.onclose = () => inside.readyState === WebSocket.OPEN && inside.close();
    return response;
  });
  let service: SupabaseClient | undefined;
  let events: Event[] = [];
  {
    await using first = await startRealtime(database.url);
    target = first.url;
    await sql.unsafe(
      "create table sv_lasting (id int primary key); alter publication supabase_realtime add table sv_lasting; grant select on sv_lasting to service_role",
    ).simple();
    service = client(first.secretKey, door.url);
    ({ events } = await listen(service, { table: "sv_lasting", event: "INSERT" }));
    await sql`insert into sv_lasting values (1)`;
    await waitFor("the first event", () => events.length);
  }
  await using second = await startRealtime(database.url);
  target = second.url;
  let id = 1;
  await waitFor("an event from the second server", async () => {
    await sql`insert into sv_lasting values (${++id})`;
    return events.length > 1;
  });
  await leave(service);
});

test("realtime disconnects a subscriber that does not read, and serves the others", async () => {
  await using sql = asPostgres(server);
  await using made = await notes(sql);
  const service = client(server.secretKey);
  const { events } = await listen(service, { table: made.table, event: "INSERT", filter: "rank=eq.-1" });
  const silent = await silentSubscriber(made.table);
  const sent = 40;
  for (let i = 0; i < sent; i++) await sql`insert into ${sql(made.table)} (title) values (${"x".repeat(500_000)})`;
  await sql`insert into ${sql(made.table)} (rank) values (-1)`;
  await waitFor("the other's event", () => events.length);
  const { bytes, ended } = await silent.readToTheEnd();
  ok(ended && bytes < sent * 500_000, `${bytes} bytes were kept for it`);
  await leave(service);
});

/** Subscribes over a bare connection and then reads nothing until it is asked to. */
async function silentSubscriber(table: string) {
  const { hostname, port, host } = new URL(server.url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const text = new TextEncoder();
  await connection.write(text.encode([
    `GET /realtime/v1/websocket?apikey=${server.secretKey}&vsn=2.0.0 HTTP/1.1`,
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "\r\n",
  ].join("\r\n")));
  const read = new Uint8Array(1 << 20);
  let seen = "";
  const until = async (expected: string) => {
    while (!seen.includes(expected)) {
      const length = await connection.read(read);
      if (length === null) throw new Error(`The connection ended without ${expected}: ${seen}`);
      seen += new TextDecoder().decode(read.subarray(0, length));
    }
  };
  await until("\r\n\r\n");
  const join = text.encode(
    JSON.stringify(["1", "1", "realtime:sv-silent", "phx_join", {
      config: { postgres_changes: [{ event: "*", schema: "public", table }] },
    }]),
  );
  // A text frame with a mask of zeros
  await connection.write(Uint8Array.from([0x81, 0xfe, join.length >> 8, join.length & 255, 0, 0, 0, 0, ...join]));
  await until("Subscribed to PostgreSQL");
  return {
    async readToTheEnd() {
      let bytes = 0;
      let last = new Uint8Array();
      for (;;) {
        const length = await connection.read(read);
        if (length === null) return { bytes, ended: true };
        bytes += length;
        last = read.slice(Math.max(0, length - 12), length);
        // A close frame: its code (1013) and reason end the stream
        if (new TextDecoder().decode(last).endsWith("Too slow")) {
          connection.close();
          return { bytes, ended: true };
        }
      }
    },
  };
}
