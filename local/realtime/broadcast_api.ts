/** Broadcasts over HTTP: POST /api/broadcast and /api/broadcast/:topic/events/:event. */
import type postgres from "../postgres/client.ts";
import { parseJson, readBytes, TooLarge } from "../wire/json.ts";
import { decodePart } from "../wire/percent_encoding.ts";
import { bearerToken } from "../wire/caller.ts";
import { AuthorizationError, checkWriting } from "./authorization.ts";
import { isWithinLimit, MAX_BODY_BYTES, type Rates } from "./limits.ts";
import type { Claims } from "./subscriptions.ts";
import { type ReadClaims, readClaims, TokenError } from "./token_errors.ts";
import { topicKey } from "./protocol.ts";

interface BroadcastApiOptions {
  sql: postgres.Sql;
  claims: ReadClaims;
  rates: Rates;
  broadcast(key: string, payload: Record<string, unknown>): void;
}

interface BatchMessage {
  topic: string;
  event: string;
  payload: Record<string, unknown>;
  private: boolean;
}

type Errors = Record<string, string[]>;

/** A response that ends the request. */
class Rejection extends Error {
  constructor(readonly status: number, readonly body: unknown) {
    super();
  }
}

const TOO_MANY = new Rejection(429, {
  message: "Too many messages to broadcast, please reduce the batch size",
});
const BLANK = ["can't be blank"], INVALID = ["is invalid"], TOO_LARGE = ["Payload size exceeds tenant limit"];

export function createBroadcastApi({ sql, claims, rates, broadcast }: BroadcastApiOptions) {
  /** Handles a request whose API key the gateway knows. */
  return async (request: Request, path: string, apikey: string): Promise<Response> => {
    const [, api, resource, topic, events, event, ...more] = path.split("/").map((part) => decodePart(part) ?? part);
    const isBatch = api === "api" && resource === "broadcast" && topic === undefined;
    const isSingle = api === "api" && resource === "broadcast" && topic && events === "events" && event && !more.length;
    if (request.method !== "POST" || !isBatch && !isSingle) return Response.json("Not Found", { status: 404 });
    const average = Math.trunc(rates.events.average());
    const limit = rates.events.maxPerSecond;
    const headers = {
      "x-rate-rolling": String(average),
      "x-rate-limit": String(limit),
      "x-rate-limit-remaining": String(limit - average),
    };
    try {
      const isBinary = isSingle ? isBinaryContent(request) : false;
      if (average >= limit) throw new Rejection(429, { message: "Too many requests" });
      const caller = await callerOf(request, apikey);
      if (isSingle) await sendOne(request, caller, { topic, event: event!, isBinary });
      else await sendBatch(request, caller);
      return new Response("", { status: 202, headers });
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return Response.json(error.body, { status: error.status, headers });
    }
  };

  async function callerOf(request: Request, apikey: string): Promise<Claims> {
    return await readClaims(claims, bearerToken(request) ?? apikey).catch((error) => {
      throw error instanceof TokenError ? new Rejection(401, { message: "Unauthorized" }) : error;
    });
  }

  async function sendBatch(request: Request, caller: Claims) {
    const average = rates.events.average(), limit = rates.events.maxPerSecond;
    const messages = readBatch(await readJson(request), limit);
    if (average > limit) throw new Rejection(429, { message: "You have exceeded your rate limit" });
    if (messages.length + average > limit) throw TOO_MANY;
    const send = ({ topic, event, payload, private: isPrivate }: BatchMessage) => {
      rates.events.add();
      broadcast(topicKey(topic, isPrivate), { type: "broadcast", event, payload });
    };
    messages.filter((message) => !message.private).forEach(send);
    const byTopic = Map.groupBy(messages.filter((message) => message.private), ({ topic }) => topic);
    for (const [topic, messages] of byTopic) {
      // As in the service, a message that the caller may not send is dropped without an error
      if (await mayWrite(request, caller, topic).catch(() => false)) messages.forEach(send);
    }
  }

  async function sendOne(
    request: Request,
    caller: Claims,
    { topic, event, isBinary }: { topic: string; event: string; isBinary: boolean },
  ) {
    const payload = isBinary ? await readBody(request) : await readJson(request);
    if (!isWithinLimit(payload)) throw new Rejection(422, { errors: { payload: TOO_LARGE } });
    if (rates.events.isExceeded()) throw new Rejection(429, { message: "You have exceeded your rate limit" });
    const isPrivate = new URL(request.url).searchParams.get("private") === "true";
    if (isPrivate && !await mayWrite(request, caller, topic).catch(rejectFailure)) {
      throw new Rejection(403, { message: "Unauthorized" });
    }
    rates.events.add();
    broadcast(topicKey(topic, isPrivate), { type: "broadcast", event, payload });
  }

  async function mayWrite(request: Request, claims: Claims, topic: string): Promise<boolean> {
    const headers = Object.fromEntries(request.headers);
    return (await checkWriting(sql, { topic, claims, headers }, ["broadcast"])).broadcast === true;
  }
}

function isBinaryContent(request: Request): boolean {
  const type = request.headers.get("content-type")?.split(";")[0].trim().toLowerCase();
  if (type === undefined || type === "application/json") return false;
  if (type === "application/octet-stream") return true;
  throw new Rejection(415, { error: "Unsupported Media Type. Use application/json or application/octet-stream" });
}

async function readBody(request: Request): Promise<Uint8Array> {
  return await readBytes(request, MAX_BODY_BYTES).catch((error) => {
    throw error instanceof TooLarge ? new Rejection(413, "Request Entity Too Large") : error;
  });
}

/** The body's JSON object; another value is the member `_json` of one. */
async function readJson(request: Request): Promise<Record<string, unknown>> {
  const text = new TextDecoder().decode(await readBody(request));
  if (!text || !request.headers.get("content-type")?.startsWith("application/json")) return {};
  try {
    const value = parseJson(text);
    return value && typeof value === "object" && !Array.isArray(value)
      ? value as Record<string, unknown>
      : { _json: value };
  } catch {
    throw new Rejection(400, "Bad Request");
  }
}

function readBatch({ messages }: Record<string, unknown>, limit: number): BatchMessage[] {
  const isBlank = messages === undefined || messages === null || Array.isArray(messages) && !messages.length;
  if (isBlank) throw new Rejection(422, { errors: { messages: BLANK } });
  if (Array.isArray(messages) && messages.length > limit) throw TOO_MANY; // before each is checked
  const isList = Array.isArray(messages) && messages.every((one) => one && typeof one === "object");
  if (!isList) throw new Rejection(422, { errors: { messages: INVALID } });
  const errors = messages.map(findErrors);
  if (errors.some((one) => Object.keys(one).length)) throw new Rejection(422, { errors: { messages: errors } });
  return messages.map((message) => ({ ...message, private: toBoolean(message.private) ?? false }));
}

function findErrors({ topic, event, payload, private: isPrivate }: Record<string, unknown>): Errors {
  const text = (value: unknown) =>
    value === undefined || value === null || typeof value === "string" && !value.trim()
      ? BLANK
      : typeof value === "string"
      ? undefined
      : INVALID;
  const found = {
    topic: text(topic),
    event: text(event),
    payload: payload === undefined || payload === null
      ? BLANK
      : typeof payload !== "object" || Array.isArray(payload)
      ? INVALID
      : isWithinLimit(payload)
      ? undefined
      : TOO_LARGE,
    private: isPrivate === undefined || isPrivate === null || toBoolean(isPrivate) !== undefined ? undefined : INVALID,
  };
  return Object.fromEntries(Object.entries(found).filter(([, errors]) => errors)) as Errors;
}

function toBoolean(value: unknown): boolean | undefined {
  if (value === true || value === "true" || value === "1") return true;
  if (value === false || value === "false" || value === "0") return false;
}

function rejectFailure(error: unknown): never {
  if (!(error instanceof AuthorizationError)) throw error;
  console.error(`realtime: ${error.reason}: ${error.message}`);
  const messages = {
    RlsPolicyError: "RLS policy error",
    QueryCanceled: "Query canceled",
    MissingPartition: "Missing messages partition",
  };
  throw new Rejection(422, { message: messages[error.reason] });
}
