/** A client's membership of a topic: its token, its subscriptions and its settings. */
import postgres from "../postgres_client.ts";
import type { Message } from "./protocol.ts";
import { type Claims, subscribe, type Subscription, type SubscriptionRequest } from "./subscriptions.ts";

export interface Channel {
  topic: string;
  joinRef: string | null;
  token: unknown;
  subscriptions: Subscription[];
  /** Whether the client receives its own broadcasts, and whether they are acknowledged. */
  self: boolean;
  ack: boolean;
  presence: { enabled: boolean; key: string };
  push(event: string, payload: Record<string, unknown>): void;
  /** Ends the membership with a message. */
  shutDown(message: string): void;
  /** Clears the timer of the token's expiry. */
  clearTimer(): void;
}

export interface ChannelOptions {
  sql: postgres.Sql;
  /** Returns the claims of a token or key. Rejects invalid ones. */
  claims: (token: unknown) => Promise<Claims>;
  /** The client's API key, used in place of a missing token. */
  apikey: string;
  send: (message: Message) => void;
  /** Called once when the server ends the membership. */
  onEnd: (channel: Channel) => void;
}

interface Config {
  postgres_changes?: (SubscriptionRequest | null)[];
  broadcast?: { self?: boolean; ack?: boolean };
  presence?: { enabled?: unknown; key?: unknown };
  private?: boolean;
}

/** The reason why a client cannot join. */
export class JoinError extends Error {}

const MAX_SUBSCRIPTIONS = 100;
const MAX_TIMER_MS = 2 ** 31 - 1;
let requestCount = 0;

/** Whether a join subscribes to `postgres_changes`. */
export function subscribesToChanges({ payload }: Message): boolean {
  return !!((payload.config ?? {}) as Config).postgres_changes?.length;
}

/** Joins a topic. `response` is the payload of the reply; call `afterReply` once it is sent. Throws JoinError. */
export async function join(message: Message, options: ChannelOptions) {
  const { topic, joinRef, payload } = message;
  const config = (payload.config ?? {}) as Config;
  const name = topic.replace(/^realtime:/, "");
  const push = (event: string, content: Record<string, unknown>) =>
    options.send({ joinRef, ref: null, topic, event, payload: content });
  const system = (extension: string, status: string, message: string) =>
    push("system", { extension, status, message, channel: name });
  const { enabled, key } = config.presence ?? {};
  let timer: number | undefined;

  const channel: Channel = {
    topic,
    joinRef,
    token: isToken(payload.access_token) ? payload.access_token : options.apikey,
    subscriptions: [],
    self: config.broadcast?.self === true,
    ack: config.broadcast?.ack === true,
    presence: { enabled: enabled === true, key: typeof key === "string" && key || crypto.randomUUID() },
    push,
    shutDown(message) {
      system("system", "error", message);
      push("phx_close", {});
      options.onEnd(channel);
    },
    clearTimer: () => clearTimeout(timer),
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

  const claims = await options.claims(channel.token).catch((error) => {
    throw new JoinError("InvalidJWTToken: " + describeTokenError(error));
  });
  // Private topics need policies on realtime.messages, which this stand-in does not evaluate
  if (config.private) {
    throw new JoinError(`Unauthorized: You do not have permissions to read from this Channel topic: ${name}`);
  }
  if ((config.postgres_changes?.length ?? 0) > MAX_SUBSCRIPTIONS) {
    throw new JoinError(`At most ${MAX_SUBSCRIPTIONS} postgres_changes can be subscribed to per channel`);
  }
  const requests = (config.postgres_changes ?? []).filter((request) => request !== null)
    .map((request) => ({ ...request, id: ++requestCount }));
  let problem: string | undefined;
  try {
    channel.subscriptions = await Promise.all(
      requests.map((request) => subscribe(options.sql, request, request.id, claims)),
    );
  } catch (error) {
    // Not the client's mistake
    if (error instanceof postgres.PostgresError) console.error("realtime: subscribe:", error);
    problem = (error as Error).message;
  }
  watch(claims);
  return {
    channel,
    response: { postgres_changes: requests },
    afterReply() {
      if (requests.length) system("postgres_changes", problem ? "error" : "ok", problem ?? "Subscribed to PostgreSQL");
    },
    /** Replaces the token; subscriptions use its claims from now on. */
    async refresh(token: unknown) {
      if (!isToken(token) || token === channel.token) return;
      try {
        const fresh = await options.claims(token);
        channel.token = token;
        for (const subscription of channel.subscriptions) subscription.claims = fresh;
        watch(fresh);
      } catch (error) {
        channel.shutDown(describeTokenError(error));
      }
    },
  };
}

export type Joined = Awaited<ReturnType<typeof join>>;

/** API keys ("sb_…") are not tokens. */
const isToken = (token: unknown): token is string => typeof token === "string" && !token.startsWith("sb_");

function describeTokenError(error: unknown): string {
  const { code, payload } = error as { code?: string; payload?: { exp?: number } };
  if (code !== "ERR_JWT_EXPIRED") return "The token provided is not a valid JWT";
  return `Token has expired ${Math.max(0, Math.floor(Date.now() / 1000 - (payload?.exp ?? 0)))} seconds ago`;
}
