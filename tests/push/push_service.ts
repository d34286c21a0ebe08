// A push service on the loopback interface (RFC 8030): checks and decrypts messages, and responds as a test demands.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { importJWK, jwtVerify } from "jose";
import type { Sql } from "postgres";
import { type BrowserKeys, createBrowserKeys, decryptPush } from "./decrypt.ts";

/** A status; `time-out`: no response; `drop`: the service accepts the message, then drops the connection. */
export type ServiceResponse = number | "time-out" | "drop" | {
  status: number;
  headers?: Record<string, string>;
  body?: string;
};

/** A message that the push service accepted. */
export interface ReceivedMessage {
  topic: string;
  urgency: string;
  ttl: number;
  /** The decrypted payload. */
  payload: Record<string, unknown>;
  bodyBytes: number;
  /** Salt and public key of the message. */
  cryptoHeader: string;
  /** Who sent it: claims and key of the VAPID token. */
  vapid: { sub: string; publicKey: string };
}

interface Subscription extends BrowserKeys {
  messages: ReceivedMessage[];
  responses: (ServiceResponse | Promise<ServiceResponse>)[];
  requests: number;
}

/** A subscription of a browser at this push service. */
export interface Browser {
  /** What PushSubscription.toJSON() returns. */
  subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } };
  /** The messages that the service accepted, those before a dropped connection included. */
  messages: ReceivedMessage[];
  /** Responses to the next requests, in order; then those of the service. */
  responses: (ServiceResponse | Promise<ServiceResponse>)[];
  /** Requests so far. */
  requests(): number;
}

export interface PushService extends AsyncDisposable {
  url: string;
  /** host:port */
  host: string;
  /** The response to requests without one of their own: 201. */
  response: () => ServiceResponse;
  subscribe(): Browser;
}

/** Lets browsers register at the push service, besides those of other tests. */
export async function listPushService(sql: Sql, { host }: PushService): Promise<void> {
  await sql`
    update private.settings set value = concat_ws(',', coalesce(value, default_value), ${host}::text)
    where key in ('fetch_allowed_hosts', 'push_service_hosts')`;
}

/** Ends with its scope. It speaks HTTP on TCP, because Deno's servers cannot drop a connection without a response. */
export function startPushService(): PushService {
  const subscriptions = new Map<string, Subscription>();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = `127.0.0.1:${listener.addr.port}`, url = `http://${host}`;
  const open = new Set<Deno.Conn>(), visits = new Set<Promise<void>>();
  const close = (conn: Deno.Conn) => open.delete(conn) && conn.close();

  async function serve(conn: Deno.Conn) {
    open.add(conn);
    try {
      const request = await readRequest(conn);
      const response = request && await responseTo(request);
      if (response === "time-out") await conn.read(new Uint8Array(1)); // until the sender leaves
      else if (response && response !== "drop") await conn.write(encoder.encode(toText(response)));
    } catch {
      // the sender left
    } finally {
      close(conn);
    }
  }

  async function responseTo(request: PushRequest): Promise<ServiceResponse> {
    const subscription = subscriptions.get(request.path);
    if (!subscription) return 404;
    subscription.requests++;
    const response = await (subscription.responses.shift() ?? service.response());
    const isAccepted = response === "drop" || (typeof response === "object" ? response.status : Number(response)) < 300;
    if (!isAccepted) return response;
    try {
      subscription.messages.push(await readMessage(request, subscription, url));
      return response;
    } catch (error) {
      return { status: 400, body: String(error) }; // as real services do
    }
  }

  const accepting = (async () => {
    for await (const conn of listener) {
      const visit = serve(conn);
      visits.add(visit);
      visit.finally(() => visits.delete(visit));
    }
  })();

  const service: PushService = {
    url,
    host,
    response: () => 201,
    subscribe() {
      const keys = createBrowserKeys(), path = `/push/${crypto.randomUUID()}`;
      const subscription: Subscription = { ...keys, messages: [], responses: [], requests: 0 };
      subscriptions.set(path, subscription);
      const encoded = { p256dh: keys.publicKey.toString("base64url"), auth: keys.auth.toString("base64url") };
      return {
        subscription: { endpoint: url + path, expirationTime: null, keys: encoded },
        messages: subscription.messages,
        responses: subscription.responses,
        requests: () => subscription.requests,
      };
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const conn of open) close(conn);
      await Promise.all(visits);
    },
  };
  return service;
}

interface PushRequest {
  method: string;
  path: string;
  headers: Headers;
  body: Buffer;
}

const encoder = new TextEncoder();

/** Reads a request whose body has a length; undefined if the sender leaves. */
async function readRequest(conn: Deno.Conn): Promise<PushRequest | undefined> {
  let bytes = Buffer.alloc(0);
  const part = new Uint8Array(65_536);
  for (let size; (size = await conn.read(part)) !== null;) {
    bytes = Buffer.concat([bytes, part.subarray(0, size)]);
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const [first, ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
    const headers = new Headers(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]));
    const body = bytes.subarray(end + 4);
    const [method, path] = first.split(" ");
    if (body.length >= Number(headers.get("content-length"))) return { method, path, headers, body };
  }
}

function toText(response: Exclude<ServiceResponse, string>): string {
  const { status, headers = {}, body = "" } = typeof response === "object" ? response : { status: response };
  const lines = Object.entries({ ...headers, "content-length": encoder.encode(body).length, connection: "close" });
  return [`HTTP/1.1 ${status} Response`, ...lines.map(([name, value]) => `${name}: ${value}`), "", body].join("\r\n");
}

async function readMessage(
  { method, headers, body }: PushRequest,
  keys: BrowserKeys,
  origin: string,
): Promise<ReceivedMessage> {
  assert.equal(method, "POST");
  assert.equal(headers.get("content-encoding"), "aes128gcm");
  assert.equal(headers.get("content-type"), "application/octet-stream");
  assert.ok(body.length <= 4096, `a body of ${body.length} bytes`);
  const [ttl, urgency, topic] = ["ttl", "urgency", "topic"].map((name) => headers.get(name)!);
  assert.match(ttl, /^\d+$/);
  assert.match(urgency, /^(very-low|low|normal|high)$/);
  assert.match(topic, /^[A-Za-z0-9_-]{1,32}$/);
  const payload = JSON.parse(decryptPush(body, keys));
  const vapid = await readVapid(headers.get("authorization")!, origin);
  return {
    topic,
    urgency,
    ttl: Number(ttl),
    payload,
    bodyBytes: body.length,
    cryptoHeader: body.toString("base64url", 0, 86),
    vapid,
  };
}

/** Verifies the token of RFC 8292 with the key beside it. */
async function readVapid(authorization: string, origin: string) {
  const [, token, publicKey] = /^vapid t=([^,]+), k=([\w-]+)$/.exec(authorization)!;
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((bytes) => bytes.toString("base64url"));
  const key = await importJWK({ kty: "EC", crv: "P-256", x, y }, "ES256");
  const { payload } = await jwtVerify(token, key, { audience: origin, algorithms: ["ES256"] });
  assert.ok(payload.exp! < Date.now() / 1000 + 24 * 3600, "the token is valid for more than a day");
  return { sub: String(payload.sub), publicKey };
}
