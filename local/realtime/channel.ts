/** One client's membership of one topic: its token, its subscriptions, what it asked to be told. */
import type postgres from "../postgres_client.ts";
import type { Message } from "./protocol.ts";
import { type Claims, subscribe, type Subscription, type Wish } from "./subscriptions.ts";

export interface Channel {
  topic: string;
  joinRef: string | null;
  token: unknown;
  subscriptions: Subscription[];
  /** As joined: whether its own broadcasts come back, and whether they are answered. */
  self: boolean;
  ack: boolean;
  presence: { enabled: boolean; key: string };
  push(event: string, payload: Record<string, unknown>): void;
  /** Ends the membership from the server's side. */
  shutDown(sentence: string): void;
  /** Stops the clock that watches the token. */
  forgetToken(): void;
}

export interface ChannelOptions {
  sql: postgres.Sql;
  /** The claims of a token or key; rejects when it is not valid. */
  claims: (token: unknown) => Promise<Claims>;
  /** The key that the client connected with: it stands in for a token that is none. */
  apikey: string;
  send: (message: Message) => void;
  /** Called once when the server ends the membership. */
  ended: (channel: Channel) => void;
}

interface Config {
  postgres_changes?: (Wish | null)[];
  broadcast?: { self?: boolean; ack?: boolean };
  presence?: { enabled?: unknown; key?: unknown };
  private?: boolean;
}

/** Refusals to join carry this sentence. */
export class Refused extends Error {}

const MAX_WISHES = 100;
const LONGEST_TIMER = 2 ** 31 - 1;
let wishes = 0;

/** Joins a topic. `answer` is the reply's payload, `after` what to push once the reply is sent. */
export async function join(message: Message, options: ChannelOptions) {
  const { topic, joinRef, payload } = message;
  const config = (payload.config ?? {}) as Config;
  const name = topic.replace(/^realtime:/, "");
  const push = (event: string, content: Record<string, unknown>) =>
    options.send({ joinRef, ref: null, topic, event, payload: content });
  const system = (extension: string, status: string, sentence: string) =>
    push("system", { extension, status, message: sentence, channel: name });
  const { enabled, key } = config.presence ?? {};
  let clock: number | undefined;

  const channel: Channel = {
    topic,
    joinRef,
    token: isToken(payload.access_token) ? payload.access_token : options.apikey,
    subscriptions: [],
    self: config.broadcast?.self === true,
    ack: config.broadcast?.ack === true,
    presence: { enabled: enabled === true, key: typeof key === "string" && key || crypto.randomUUID() },
    push,
    shutDown(sentence) {
      system("system", "error", sentence);
      push("phx_close", {});
      options.ended(channel);
    },
    forgetToken: () => clearTimeout(clock),
  };
  const watch = (claims: Claims) => {
    clearTimeout(clock);
    if (typeof claims.exp !== "number") return;
    const left = claims.exp * 1000 - Date.now();
    clock = setTimeout(
      () => left > LONGEST_TIMER ? watch(claims) : channel.shutDown("Token has expired 0 seconds ago"),
      Math.min(left, LONGEST_TIMER),
    );
  };

  const claims = await options.claims(channel.token).catch((error) => {
    throw new Refused("InvalidJWTToken: " + tokenSentence(error));
  });
  // Private topics are open by policies on realtime.messages, and the product has none
  if (config.private) {
    throw new Refused(`Unauthorized: You do not have permissions to read from this Channel topic: ${name}`);
  }
  if ((config.postgres_changes?.length ?? 0) > MAX_WISHES) {
    throw new Refused(`At most ${MAX_WISHES} postgres_changes can be subscribed to per channel`);
  }
  const asked = (config.postgres_changes ?? []).filter((wish) => wish !== null)
    .map((wish) => ({ ...wish, id: ++wishes }));
  let trouble: string | undefined;
  try {
    channel.subscriptions = await Promise.all(asked.map((wish) => subscribe(options.sql, wish, wish.id, claims)));
  } catch (error) {
    trouble = (error as Error).message;
  }
  watch(claims);
  return {
    channel,
    answer: { postgres_changes: asked },
    after() {
      if (asked.length) system("postgres_changes", trouble ? "error" : "ok", trouble ?? "Subscribed to PostgreSQL");
    },
    /** A newer token: everything is seen with its claims from now on. */
    async refresh(token: unknown) {
      if (!isToken(token) || token === channel.token) return;
      try {
        const fresh = await options.claims(token);
        channel.token = token;
        for (const subscription of channel.subscriptions) subscription.claims = fresh;
        watch(fresh);
      } catch (error) {
        channel.shutDown(tokenSentence(error));
      }
    },
  };
}

export type Joined = Awaited<ReturnType<typeof join>>;

/** The new kind of keys ("sb_…") says nothing about a user. */
const isToken = (token: unknown): token is string => typeof token === "string" && !token.startsWith("sb_");

function tokenSentence(error: unknown): string {
  const { code, payload } = error as { code?: string; payload?: { exp?: number } };
  if (code !== "ERR_JWT_EXPIRED") return "The token provided is not a valid JWT";
  return `Token has expired ${Math.max(0, Math.floor(Date.now() / 1000 - (payload?.exp ?? 0)))} seconds ago`;
}
