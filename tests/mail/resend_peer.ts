// A peer that speaks Resend's API for sending emails, with idempotency keys and faults on demand.
import { Webhook } from "standardwebhooks";
import { cutOff, startHttpServer } from "../http_server.ts";

export const RESEND_KEY = "re_test_peer";
const WEBHOOK_SECRET = `whsec_${btoa("the secret of the peer")}`;

/** What the peer does with a request instead of responding normally. */
export type Fault =
  | "rate_limit"
  /** A 429 that ends after a moment. */
  | "busy"
  | "server_error"
  | "quota"
  | "validation_error"
  | "concurrent"
  /** The client meets its time limit; the email is not accepted. */
  | "hang"
  /** The email is accepted, and the connection is lost. */
  | "drop_after"
  | "lost_before"
  /** The email is accepted, and the body is longer than the client reads. */
  | "long_response";

export interface SentEmail {
  id: string;
  key: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  reply_to?: string;
  headers?: Record<string, string>;
  attachments?: { filename: string; content: string; content_type: string }[];
}

const error = (status: number, name: string, message: string, headers: Record<string, string> = {}) =>
  Response.json({ statusCode: status, name, message }, { status, headers });

export function startResendPeer() {
  const accepted = new Map<string, { id: string; body: string }>();
  const apiKeys = new Set([RESEND_KEY]);
  const emails: SentEmail[] = [], requests: { key: string; body: string }[] = [];
  let chooseFault: (request: { key: string; body: string }) => Fault | undefined = () => undefined;

  function accept(key: string, body: string): Response {
    const earlier = accepted.get(key);
    if (earlier && earlier.body !== body) {
      return error(409, "invalid_idempotent_request", "This idempotency key was used with another payload");
    }
    if (earlier) return Response.json({ id: earlier.id });
    const id = crypto.randomUUID();
    accepted.set(key, { id, body });
    emails.push({ id, key, ...JSON.parse(body) });
    return Response.json({ id });
  }

  async function respond(request: { key: string; body: string }): Promise<Response> {
    switch (chooseFault(request)) {
      case "rate_limit":
        return error(429, "rate_limit_exceeded", "Too many requests", { "retry-after": "7" });
      case "busy":
        return error(429, "rate_limit_exceeded", "Too many requests", { "retry-after": "0" });
      case "quota":
        return error(429, "daily_quota_exceeded", "You have reached your daily quota");
      case "server_error":
        return error(500, "application_error", `Failed for ${JSON.parse(request.body).to}`);
      case "validation_error":
        return error(422, "validation_error", `Invalid \`to\` field: ${JSON.parse(request.body).to}`);
      case "concurrent":
        return error(409, "concurrent_idempotent_requests", "Another request with this key is in progress");
      case "hang":
        return await new Promise<Response>(() => {});
      case "lost_before":
        return cutOff();
      case "drop_after":
        accept(request.key, request.body);
        return cutOff();
      case "long_response":
        accept(request.key, request.body);
        return new Response("x".repeat(1_000_000));
    }
    return accept(request.key, request.body);
  }

  const server = startHttpServer(async (http) => {
    const body = await http.text(), key = http.headers.get("idempotency-key");
    if (!apiKeys.has(http.headers.get("authorization")?.replace(/^Bearer /, "") ?? "")) {
      return error(401, "invalid_api_key", "API key is invalid");
    }
    if (http.method !== "POST" || new URL(http.url).pathname !== "/emails") return error(404, "not_found", "Not found");
    if (!http.headers.get("user-agent")) return error(403, "missing_user_agent", "User-Agent is required");
    if (!key || key.length > 256) return error(400, "invalid_idempotency_key", "The key must have 1 to 256 characters");
    const request = { key, body };
    requests.push(request);
    return await respond(request);
  });

  return {
    url: server.url,
    /** The keys that it accepts. */
    apiKeys,
    /** Accepted emails, each once. */
    emails,
    /** Every attempt with a valid API key. */
    requests,
    setFault: (choose: typeof chooseFault) => chooseFault = choose,
    /** A signed event about an email, as the peer delivers it to the webhook. */
    eventOf({ id, to }: { id: string; to: string[] }, type: string, data: object = {}, at = new Date()): RequestInit {
      const created_at = at.toISOString();
      const body = JSON.stringify({ type, created_at, data: { created_at, email_id: id, to, ...data } });
      const eventId = `msg_${crypto.randomUUID()}`, now = new Date();
      const headers = {
        "content-type": "application/json",
        "svix-id": eventId,
        "svix-timestamp": String(Math.floor(now.getTime() / 1000)),
        "svix-signature": new Webhook(WEBHOOK_SECRET).sign(eventId, now, body),
      };
      return { method: "POST", headers, body };
    },
    /** The environment of functions that send by this peer. */
    env: {
      RESEND_API_URL: server.url,
      RESEND_API_KEY: RESEND_KEY,
      MAIL_FROM: "Casts <casts@mail.test>",
      RESEND_WEBHOOK_SECRET: WEBHOOK_SECRET,
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
