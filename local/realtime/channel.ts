/** A client's membership of a topic: its token, its rights, its subscriptions and its settings. */
import postgres from "../postgres/client.ts";
import {
  AuthorizationError,
  type ChannelCaller,
  checkReading,
  checkWriting,
  type Extension,
  type Policies,
} from "./authorization.ts";
import { MAX_SUBSCRIPTIONS } from "./limits.ts";
import { replayedMessages, type StoredBroadcast } from "./messages.ts";
import { type Encoded, type Message, topicKey } from "./protocol.ts";
import { type Claims, subscribe, type Subscription, type SubscriptionRequest } from "./subscriptions.ts";
import { isToken, type ReadClaims, readClaims, TokenError } from "./token_errors.ts";

export interface Channel {
  topic: string;
  /** The topic without its prefix, which policies see. */
  name: string;
  /** Identifies the topic among private and public ones. */
  key: string;
  joinRef: string | null;
  token: unknown;
  claims: Claims;
  /** The rights on a private channel; undefined on a public one. */
  policies?: Policies;
  subscriptions: Subscription[];
  /** Whether the client receives its own broadcasts, and whether they are acknowledged. */
  self: boolean;
  ack: boolean;
  presence: { enabled: boolean; key: string; calls: number; resetAt: number; tracked?: string };
  /** The ids of messages that the join has replayed. */
  replayed: Set<string>;
  /** The characters of the join that the channel keeps. */
  kept: number;
  push(event: string, payload: Record<string, unknown>): void;
  /** Sends a message to all channels of a topic, which is encoded once per protocol version. */
  sendEncoded(encode: (version: string) => Encoded): void;
  system(extension: string, status: string, message: string): void;
  /** Ends the membership with a message. */
  shutDown(message: string): void;
  /** Clears the timer of the token's expiry. */
  clearTimer(): void;
}

interface ChannelOptions {
  sql: postgres.Sql;
  claims: ReadClaims;
  /** The client's API key, used in place of a missing token. */
  apikey: string;
  /** The headers of the connection that policies see. */
  headers: Record<string, string>;
  send: (message: Message) => void;
  sendEncoded: Channel["sendEncoded"];
  /** Called once when the server ends the membership. */
  onEnd: (channel: Channel) => void;
}

interface Config {
  postgres_changes?: unknown;
  broadcast?: { self?: unknown; ack?: unknown; replication_ready?: unknown; replay?: unknown } | null;
  presence?: { enabled?: unknown; key?: unknown } | null;
  private?: unknown;
}

/** The reason why a client cannot join. */
export class JoinError extends Error {}

const MAX_TIMER_MS = 2 ** 31 - 1;
const DATABASE_FAILURE = "Realtime was unable to connect to the project database";
let requestCount = 0;

const configOf = ({ payload }: Message): Config =>
  payload.config && typeof payload.config === "object" ? payload.config as Config : {};

export function subscriptionRequests(message: Message): SubscriptionRequest[] {
  const { postgres_changes: requests } = configOf(message);
  if (!Array.isArray(requests)) return [];
  // A copy of text or of a list has a member per element
  return requests.filter((request) => typeof request === "object" && request !== null && !Array.isArray(request));
}

/** Booleans may be strings. */
const isOn = (value: unknown) => value === true || typeof value === "string" && value.toLowerCase() === "true";

/** Joins a topic. `response` is the payload of the reply; call `afterReply` once it is sent. Throws JoinError. */
export async function join(message: Message, options: ChannelOptions) {
  const { topic, joinRef, payload } = message;
  const config = configOf(message);
  const isPrivate = isOn(config.private);
  const name = topic.replace(/^realtime:/, "");
  const { enabled, key } = config.presence ?? {};
  const push = (event: string, content: Record<string, unknown>) =>
    options.send({ joinRef, ref: null, topic, event, payload: content });
  let timer: number | undefined;

  const channel: Channel = {
    topic,
    name,
    key: topicKey(name, isPrivate),
    joinRef,
    token: isToken(payload.access_token) ? payload.access_token : options.apikey,
    claims: {},
    subscriptions: [],
    self: isOn(config.broadcast?.self),
    ack: isOn(config.broadcast?.ack),
    presence: {
      enabled: isOn(enabled),
      key: typeof key === "string" || typeof key === "number"
        ? String(key) || crypto.randomUUID()
        : crypto.randomUUID(),
      calls: 0,
      resetAt: 0,
    },
    replayed: new Set(),
    kept: 0,
    push,
    sendEncoded: options.sendEncoded,
    system: (extension, status, message) => push("system", { extension, status, message, channel: name }),
    shutDown(message) {
      channel.system("system", "error", message);
      push("phx_close", {});
      options.onEnd(channel);
    },
    clearTimer: () => clearTimeout(timer),
  };
  const replayMessage = (message: StoredBroadcast) => {
    try {
      push("broadcast", { ...message, meta: { replayed: true, id: message.meta.id } });
    } catch (error) { // nested too deeply to be encoded
      console.error("realtime: replay:", (error as Error).message);
    }
  };
  const watch = (claims: Claims) => {
    clearTimeout(timer);
    if (typeof claims.exp !== "number") return;
    const left = claims.exp * 1000 - Date.now();
    timer = setTimeout(
      () => left > MAX_TIMER_MS ? watch(claims) : channel.shutDown("Token has expired 0 seconds ago"),
      Math.min(left, MAX_TIMER_MS),
    );
  };

  try {
    channel.claims = await readClaims(options.claims, channel.token);
    if (isPrivate) channel.policies = await readPolicies(options, channel);
  } catch (error) {
    throw joinError(error, name);
  }
  const replay = await messagesToReplay(options.sql, channel, config);
  channel.replayed = new Set(replay.map(({ meta }) => meta.id));
  const requests = subscriptionRequests(message).map((request) => ({ ...request, id: ++requestCount }));
  if (requests.length > MAX_SUBSCRIPTIONS) {
    throw new JoinError(`At most ${MAX_SUBSCRIPTIONS} postgres_changes can be subscribed to per channel`);
  }
  channel.kept = JSON.stringify([joinRef, topic, config]).length;
  let problem: string | undefined;
  try {
    channel.subscriptions = await Promise.all(
      requests.map((request) => subscribe(options.sql, request, request.id, channel.claims)),
    );
  } catch (error) {
    // Not the client's mistake
    if (error instanceof postgres.PostgresError) console.error("realtime: subscribe:", error);
    problem = (error as Error).message;
  }
  watch(channel.claims);
  return {
    channel,
    response: { postgres_changes: requests },
    afterReply() {
      if (requests.length) {
        channel.system("postgres_changes", problem ? "error" : "ok", problem ?? "Subscribed to PostgreSQL");
      }
      if (isOn(config.broadcast?.replication_ready)) {
        channel.system("system", "ok", "Replication connection established");
      }
      for (const message of replay.splice(0)) replayMessage(message); // the channel does not keep them
    },
    /** Replaces the token. Subscriptions and policies use its claims from now on. */
    async refresh(token: unknown) {
      if (!isToken(token) || token === channel.token) return;
      try {
        const claims = await readClaims(options.claims, token);
        const before = channel.policies?.read;
        Object.assign(channel, { token, claims });
        if (before) {
          channel.policies = await readPolicies(options, channel);
          const { read } = channel.policies;
          if (before.broadcast && read.broadcast === false || before.presence && read.presence === false) {
            throw new JoinError(`You no longer have permission to read from this Channel topic: ${name}`);
          }
        }
        for (const subscription of channel.subscriptions) subscription.claims = claims;
        watch(claims);
      } catch (error) {
        channel.shutDown(closingMessage(error, name));
      }
    },
    /** Whether the client may send messages of this extension; checked once per token. */
    async maySend(extension: Extension): Promise<boolean> {
      const { policies } = channel;
      if (!policies) return true;
      if (policies.write[extension] === undefined) {
        const extensions: Extension[] = channel.presence.enabled || extension === "presence"
          ? ["broadcast", "presence"]
          : ["broadcast"];
        Object.assign(policies.write, await checkWriting(options.sql, callerOf(options, channel), extensions));
      }
      return policies.write[extension] === true;
    },
    /** Checks the right to see others' presence, if the join did not ask for presence. */
    async authorizePresence() {
      const { policies } = channel;
      if (!policies || policies.read.presence !== undefined) return;
      Object.assign(policies.read, await checkReading(options.sql, callerOf(options, channel), ["presence"]));
    },
  };
}

export type Joined = Awaited<ReturnType<typeof join>>;

const callerOf = ({ headers }: ChannelOptions, { name, claims }: Channel): ChannelCaller => ({
  topic: name,
  claims,
  headers,
});

/** The rights to read. Throws Unauthorized without any. */
async function readPolicies(options: ChannelOptions, channel: Channel): Promise<Policies> {
  const extensions: Extension[] = channel.presence.enabled ? ["broadcast", "presence"] : ["broadcast"];
  const read = await checkReading(options.sql, callerOf(options, channel), extensions);
  if (!read.broadcast && !read.presence) throw new Unauthorized(channel.name);
  return { read, write: {} };
}

class Unauthorized extends Error {
  constructor(name: string) {
    super(`You do not have permissions to read from this Channel topic: ${name}`);
  }
}

async function messagesToReplay(sql: postgres.Sql, channel: Channel, config: Config): Promise<StoredBroadcast[]> {
  if (!config.broadcast || typeof config.broadcast !== "object" || !("replay" in config.broadcast)) return [];
  if (!channel.policies) throw new JoinError("UnableToReplayMessages: Replay is not allowed for public channels");
  if (!channel.policies.read.broadcast) throw joinError(new Unauthorized(channel.name), channel.name);
  const { replay } = config.broadcast;
  if (!replay || typeof replay !== "object") return [];
  const { since, limit = 25 } = replay as { since?: unknown; limit?: unknown };
  if (!Number.isSafeInteger(since) || !Number.isSafeInteger(limit ?? 25)) {
    throw new JoinError("UnableToReplayMessages: Replay params are not valid");
  }
  return await replayedMessages(sql, channel.name, since as number, (limit ?? 25) as number).catch((error) => {
    console.error("realtime: replay:", error.message);
    throw new JoinError("UnableToReplayMessages: Realtime was unable to replay messages");
  });
}

function joinError(error: unknown, name: string): JoinError {
  if (error instanceof TokenError) return new JoinError(`${error.code}: ${error.message}`);
  if (error instanceof Unauthorized) return new JoinError(`Unauthorized: ${error.message}`);
  console.error(`realtime: join of ${name}:`, (error as Error).message);
  if (!(error instanceof AuthorizationError)) return new JoinError(`UnableToConnectToProject: ${DATABASE_FAILURE}`);
  if (error.reason === "RlsPolicyError") return joinError(new Unauthorized(name), name);
  if (error.reason === "QueryCanceled") return new JoinError(`QueryCanceled: ${error.message}`);
  return new JoinError("MissingPartition: Realtime was unable to find the expected messages partition");
}

function closingMessage(error: unknown, name: string): string {
  if (error instanceof TokenError) return error.closing;
  if (error instanceof Unauthorized || error instanceof JoinError) return error.message;
  console.error(`realtime: new token for ${name}:`, (error as Error).message);
  if (!(error instanceof AuthorizationError) || error.reason === "MissingPartition") return DATABASE_FAILURE;
  return error.reason === "QueryCanceled" ? "Query was cancelled, please try again" : new Unauthorized(name).message;
}
