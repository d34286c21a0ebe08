/** A client's connection: its messages in order, and its channels. */
import type postgres from "../postgres/client.ts";
import { AuthorizationError } from "./authorization.ts";
import { type Channel, join, type Joined, JoinError } from "./channel.ts";
import {
  isWithinLimit,
  MAX_BUFFERED_BYTES,
  MAX_CHANNELS_PER_CLIENT,
  MAX_FRAME_BYTES,
  MAX_KEPT_LENGTH,
  MAX_PAYLOAD_LENGTH,
  MAX_PENDING_BYTES,
  MAX_PENDING_MESSAGES,
  MAX_PRESENCE_CALLS,
  PRESENCE_WINDOW_MS,
  type Rates,
} from "./limits.ts";
import type { createPresence, Diff } from "./presence.ts";
import { decode, encode, type Encoded, type Message } from "./protocol.ts";
import type { ReadClaims } from "./token_errors.ts";
import type { Topics } from "./topics.ts";

export interface Client {
  socket: WebSocket;
  channels: Map<string, Joined>;
}

interface ConnectionOptions {
  sql: postgres.Sql;
  claims: ReadClaims;
  apikey: string;
  version: string;
  /** The headers that policies see. */
  headers: Record<string, string>;
  topics: Topics;
  presence: ReturnType<typeof createPresence>;
  rates: Rates;
  /** Sends to the channels of a topic, except to `from` unless it wants its own broadcasts. */
  broadcast(key: string, payload: Record<string, unknown>, from?: Channel): void;
  /** Runs a join while the database's changes are read. */
  whileReading(message: Message, run: () => Promise<void>): Promise<void>;
  onClose(client: Client): void;
}

type Reply = (status: "ok" | "error", response?: Record<string, unknown>) => void;

export function connect(socket: WebSocket, options: ConnectionOptions): Client {
  const { topics, presence, rates, version } = options;
  const client: Client = { socket, channels: new Map() };
  const { channels } = client;

  function sendEncoded(data: Encoded) {
    if (data === null || socket.readyState !== WebSocket.OPEN) return;
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) return socket.close(1013, "Too slow");
    socket.send(data);
  }
  const send = (message: Message) => sendEncoded(encode(message, version));

  async function receive(message: Message) {
    const { joinRef, ref, topic, event, payload } = message;
    const reply: Reply = (status, response = {}) =>
      send({ joinRef, ref, topic, event: "phx_reply", payload: { status, response } });
    if (event === "heartbeat" && topic === "phoenix") return reply("ok");
    if (event === "phx_join") return await joinChannel(message, reply);
    const member = channels.get(topic);
    if (!member) return event === "phx_leave" ? reply("ok") : reply("error", { reason: "unmatched topic" });
    switch (event) {
      case "phx_leave":
        leave(topic);
        reply("ok");
        return send({ joinRef, ref, topic, event: "phx_close", payload: {} });
      case "access_token":
        return await member.refresh(payload.access_token);
      case "broadcast":
        return await broadcast(member, payload, reply);
      case "presence":
        return await changePresence(member, payload, reply);
    }
  }

  async function joinChannel(message: Message, reply: Reply) {
    const { topic } = message;
    const reject = (reason: string) => reply("error", { reason });
    if (!topic.startsWith("realtime:")) return reject("unmatched topic");
    if (topic === "realtime:") return reject("TopicNameRequired: You must provide a topic name");
    const before = channels.get(topic)?.channel;
    if (before) {
      leave(topic);
      before.push("phx_close", {});
    }
    if (rates.joins.isExceeded()) {
      reject("ClientJoinRateLimitReached: Too many joins per second");
      return socket.close(1000);
    }
    rates.joins.add();
    if (channels.size >= MAX_CHANNELS_PER_CLIENT) return reject("ChannelRateLimitReached: Too many channels");
    try {
      await options.whileReading(message, async () => {
        const member = await join(message, {
          ...options,
          send,
          sendEncoded: (encode) => sendEncoded(encode(version)),
          onEnd: () => leave(topic),
        });
        if (socket.readyState !== WebSocket.OPEN) return member.channel.clearTimer();
        const kept = [...channels.values()].reduce((sum, { channel }) => sum + channel.kept, member.channel.kept);
        if (kept > MAX_KEPT_LENGTH) {
          member.channel.clearTimer();
          return reject("ChannelRateLimitReached: Too many channels");
        }
        channels.set(topic, member);
        topics.add(member.channel);
        reply("ok", member.response);
        member.afterReply();
        if (member.channel.presence.enabled) pushState(member.channel);
      });
    } catch (error) {
      if (!(error instanceof JoinError)) console.error("realtime: join:", error);
      reject(error instanceof JoinError ? error.message : "Unknown Error on Channel");
    }
  }

  function leave(topic: string) {
    const channel = channels.get(topic)?.channel;
    if (!channel) return;
    channels.delete(topic);
    topics.delete(channel);
    channel.clearTimer();
    sendDiff(channel.key, presence.untrack(channel.key, channel));
  }

  async function broadcast(member: Joined, payload: Record<string, unknown>, reply: Reply) {
    const { channel } = member;
    if (!await may(member, "broadcast")) return;
    if (rates.events.isExceeded()) return channel.shutDown("Too many messages per second");
    rates.events.add();
    const isSent = isWithinLimit(payload.payload);
    if (isSent) options.broadcast(channel.key, payload, channel);
    if (channel.ack) reply(isSent ? "ok" : "error", isSent ? {} : { reason: "payload_size_exceeded" });
  }

  async function changePresence(member: Joined, { event, payload = {} }: Record<string, unknown>, reply: Reply) {
    const { channel } = member;
    const { presence: own, key } = channel;
    if (typeof event !== "string") return reply("ok");
    const now = Date.now();
    if (now > own.resetAt) Object.assign(own, { calls: 0, resetAt: now + PRESENCE_WINDOW_MS });
    if (++own.calls > MAX_PRESENCE_CALLS) return channel.shutDown("Client presence rate limit exceeded");
    switch (event.toLowerCase()) {
      case "track": {
        if (!await may(member, "presence")) return reply("error");
        if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
          return reply("error", { reason: "Presence track payload must be a map" });
        }
        const tracked = JSON.stringify(payload);
        if (tracked === own.tracked) return reply("ok");
        if (rates.presence.isExceeded()) return channel.shutDown("Too many presence messages per second");
        const state = { key: own.key, payload: payload as Record<string, unknown>, length: tracked.length };
        const diff = tracked.length <= MAX_PAYLOAD_LENGTH ? presence.track(key, channel, state) : undefined;
        if (!diff) return channel.shutDown("Track message size exceeded");
        Object.assign(own, { enabled: true, tracked });
        sendDiff(key, diff);
        return reply("ok");
      }
      case "untrack":
        own.tracked = undefined;
        sendDiff(key, presence.untrack(key, channel));
        return reply("ok");
      default:
        return reply("error");
    }
  }

  /** Whether the client may send; a failed check is logged and means no. */
  async function may(member: Joined, extension: "broadcast" | "presence"): Promise<boolean> {
    try {
      if (extension === "presence") await member.authorizePresence();
      return await member.maySend(extension);
    } catch (error) {
      if (!(error instanceof AuthorizationError)) throw error;
      console.error(`realtime: ${error.reason}: ${error.message}`);
      return false;
    }
  }

  const maySeePresence = ({ policies }: Channel) => !policies || policies.read.presence === true;

  function pushState(channel: Channel) {
    if (!maySeePresence(channel)) return;
    rates.presence.add();
    channel.push("presence_state", presence.state(channel.key));
  }

  function sendDiff(key: string, diff: Diff | undefined) {
    if (!diff) return;
    const seeing = topics.of(key).filter(maySeePresence);
    rates.presence.add(1 + seeing.length);
    for (const channel of seeing) channel.push("presence_diff", { ...diff });
  }

  // In sequence, so that the reply to a join precedes those to later messages
  let received: Promise<unknown> = Promise.resolve();
  let pendingBytes = 0, pendingMessages = 0;
  const disconnect = () => {
    options.onClose(client);
    for (const topic of [...channels.keys()]) leave(topic);
  };
  socket.binaryType = "arraybuffer";
  socket.onclose = disconnect;
  socket.onerror = disconnect;
  socket.onmessage = ({ data }) => {
    if (data === null) return; // Deno 2.1 has dropped the frame of a connection that is closing
    const size: number = data.length ?? data.byteLength;
    if (size > MAX_FRAME_BYTES) return socket.close(1009, "Message too large");
    if (pendingBytes + size > MAX_PENDING_BYTES || pendingMessages >= MAX_PENDING_MESSAGES) {
      return socket.close(1008, "Too many messages");
    }
    pendingBytes += size;
    pendingMessages++;
    received = received.then(() => socket.readyState === WebSocket.OPEN ? receive(decode(data)) : undefined)
      .catch((error) => console.error("realtime: MalformedWebSocketMessage:", (error as Error).message))
      .finally(() => {
        pendingBytes -= size;
        pendingMessages--;
      });
  };
  return client;
}
