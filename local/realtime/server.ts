/**
 * Supabase Realtime for supabase-js: `postgres_changes` under row level security, broadcast and presence on public
 * topics, tokens that are refreshed and expire.
 */
import postgres from "../postgres_client.ts";
import { join, type Joined, JoinError, subscribesToChanges } from "./channel.ts";
import { createPresence, type Diff } from "./presence.ts";
import { decode, encode, type Message } from "./protocol.ts";
import type { Change } from "./pgoutput.ts";
import { startReplication } from "./replication.ts";
import type { Claims } from "./subscriptions.ts";
import { planDeliveries } from "./visibility.ts";

/** A client with more unread bytes is disconnected; supabase-js reconnects. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** The time limit of a policy, which bounds the delay of other subscribers. A policy that exceeds it hides the row. */
const CHECK_TIMEOUT_MS = 3000;
/** The platform's limits for a message, and for the channels of one client. */
const MAX_MESSAGE_BYTES = 3_000_000;
const MAX_CHANNELS = 100;

interface Client {
  socket: WebSocket;
  channels: Map<string, Joined>;
  send(message: Message): void;
}

export interface RealtimeOptions {
  adminUrl: string;
  keys: { publishable: string; secret: string };
  /** Returns the claims of a token or key. Rejects invalid ones. */
  claims: (token: unknown) => Promise<Claims>;
}

export function createRealtime(options: RealtimeOptions) {
  const clients = new Set<Client>();
  let pendingJoins = 0; // channels that are about to subscribe
  const presence = createPresence();
  const sql = postgres(options.adminUrl, {
    max: 4,
    onnotice: () => {},
    connection: { application_name: "realtime_subscriptions", statement_timeout: CHECK_TIMEOUT_MS },
  });
  const joined = () => [...clients].flatMap((client) => [...client.channels.values()].map(({ channel }) => channel));
  const replication = startReplication({
    adminUrl: options.adminUrl,
    hasListeners: () => pendingJoins > 0 || joined().some((channel) => channel.subscriptions.length > 0),
    onChanges: async (changes) => {
      for (const change of changes) await deliver(change);
    },
  });

  async function deliver(change: Change) {
    const interested = joined().flatMap((channel) =>
      channel.subscriptions.filter(({ event, relations, since }) =>
        (event === "*" || event === change.type) && relations.has(change.relation) && change.lsn > since
      )
    );
    if (!interested.length) return;
    try {
      for (const { subscriptions, data } of await planDeliveries(sql, change, interested)) {
        for (const channel of joined()) {
          const ids = channel.subscriptions.filter((one) => subscriptions.includes(one)).map(({ id }) => id);
          if (ids.length) channel.push("postgres_changes", { ids, data });
        }
      }
    } catch (error) {
      console.error(`realtime: a change of ${change.schema}.${change.table} was not sent:`, error);
    }
  }

  async function receive(client: Client, message: Message, apikey: string) {
    const { joinRef, ref, topic, event, payload } = message;
    const reply = (status: "ok" | "error", response: Record<string, unknown> = {}) =>
      client.send({ joinRef, ref, topic, event: "phx_reply", payload: { status, response } });
    if (event === "heartbeat") return reply("ok");
    if (event === "phx_join") return await joinChannel(client, message, apikey, reply);
    const member = client.channels.get(topic);
    if (!member) return reply("error", { reason: "unmatched topic" });
    const { channel } = member;
    switch (event) {
      case "phx_leave":
        leaveChannel(client, topic);
        reply("ok");
        return client.send({ joinRef, ref, topic, event: "phx_close", payload: {} });
      case "access_token":
        return await member.refresh(payload.access_token);
      case "broadcast":
        for (const other of joined()) {
          if (other.topic === topic && (other !== channel || channel.self)) other.push("broadcast", payload);
        }
        return channel.ack ? reply("ok") : undefined;
      case "presence":
        if (payload.event === "track") {
          channel.presence.enabled = true;
          broadcastPresence(
            topic,
            presence.track(topic, channel, channel.presence.key, payload.payload as Record<string, unknown> ?? {}),
          );
        } else broadcastPresence(topic, presence.untrack(topic, channel));
        return reply("ok");
    }
  }

  async function joinChannel(
    client: Client,
    message: Message,
    apikey: string,
    reply: (status: "ok" | "error", response?: Record<string, unknown>) => void,
  ) {
    const { topic } = message;
    leaveChannel(client, topic);
    if (client.channels.size >= MAX_CHANNELS) return reply("error", { reason: "Too many channels" });
    const subscribes = subscribesToChanges(message);
    if (subscribes) pendingJoins++;
    try {
      if (subscribes) await replication.ready();
      const member = await join(message, {
        sql,
        claims: options.claims,
        apikey,
        send: client.send,
        onEnd: () => leaveChannel(client, topic),
      });
      if (client.socket.readyState !== WebSocket.OPEN) return member.channel.clearTimer();
      client.channels.set(topic, member);
      replication.pollNow();
      reply("ok", member.response);
      member.afterReply();
      if (member.channel.presence.enabled) member.channel.push("presence_state", presence.state(topic));
    } catch (error) {
      if (!(error instanceof JoinError)) console.error("realtime: join:", error);
      reply("error", { reason: error instanceof JoinError ? error.message : "Unknown Error on Channel" });
    } finally {
      if (subscribes) pendingJoins--;
    }
  }

  function leaveChannel(client: Client, topic: string) {
    const channel = client.channels.get(topic)?.channel;
    if (!channel) return;
    client.channels.delete(topic);
    channel.clearTimer();
    broadcastPresence(topic, presence.untrack(topic, channel));
  }

  function broadcastPresence(topic: string, diff: Diff | undefined) {
    if (!diff) return;
    for (const channel of joined()) {
      if (channel.topic === topic && channel.presence.enabled) channel.push("presence_diff", { ...diff });
    }
  }

  function connect(socket: WebSocket, apikey: string, version: string) {
    socket.binaryType = "arraybuffer";
    const client: Client = {
      socket,
      channels: new Map(),
      send(message) {
        if (socket.readyState !== WebSocket.OPEN) return;
        if (socket.bufferedAmount > MAX_BUFFERED_BYTES) return socket.close(1013, "Too slow");
        const data = encode(message, version);
        if (data !== null) socket.send(data);
      },
    };
    // In sequence, so that the reply to a join precedes those to later messages
    let received: Promise<unknown> = Promise.resolve();
    const disconnect = () => {
      clients.delete(client);
      for (const topic of client.channels.keys()) leaveChannel(client, topic);
    };
    socket.onopen = () => clients.add(client);
    socket.onclose = disconnect;
    socket.onerror = disconnect;
    socket.onmessage = ({ data }) => {
      if ((data.length ?? data.byteLength) > MAX_MESSAGE_BYTES) return socket.close(1009, "Message too large");
      received = received.then(() => receive(client, decode(data), apikey))
        .catch((error) => console.error("realtime: message:", (error as Error).message));
    };
  }

  return {
    /** Handles GET /realtime/v1/websocket. */
    upgrade(request: Request): Response {
      const parameters = new URL(request.url).searchParams;
      const apikey = parameters.get("apikey") ?? request.headers.get("apikey");
      if (apikey !== options.keys.publishable && apikey !== options.keys.secret) {
        return Response.json({ message: "Invalid API key" }, { status: 401 });
      }
      const { socket, response } = Deno.upgradeWebSocket(request);
      connect(socket, apikey, parameters.get("vsn") ?? "1.0.0");
      return response;
    },
    async close() {
      for (const client of clients) {
        for (const topic of [...client.channels.keys()]) leaveChannel(client, topic);
        client.socket.close(1001);
      }
      await replication.close();
      await sql.end({ timeout: 0.5 });
    },
  };
}
