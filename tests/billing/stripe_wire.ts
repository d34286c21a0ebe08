// Stripe's wire format: form-encoded requests with nesting, lists, errors, and signed webhooks.
// https://docs.stripe.com/api/errors, /api/idempotent_requests, /webhooks/signature
import { createHmac } from "node:crypto";

export type Params = { [name: string]: string | Params };

/** Decodes `a[b]=1&c[0][d]=2`; lists are objects with the keys 0, 1 … */
export function decodeForm(text: string): Params {
  const root: Params = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = name.replaceAll("]", "").split("[");
    const last = keys.pop()!;
    let at = root;
    for (const key of keys) at = (at[key] ??= {}) as Params;
    at[last] = value;
  }
  return root;
}

/** An error of the API. `type`, `code` and `param` as Stripe sends them. */
export class WireError extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly details: { code?: string; param?: string } = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

export const invalid = (message: string, details: { code?: string; param?: string } = {}, status = 400) =>
  new WireError(status, "invalid_request_error", message, details);
/** The object in a request's path is missing. One that a parameter names is a 400 with that `param`. */
export const missing = (noun: string, id: string) =>
  invalid(`No such ${noun}: '${id}'`, { code: "resource_missing", param: "id" }, 404);

/** Rejects parameters that the call does not have, as Stripe does. */
export function onlyParams(params: Params, ...names: string[]) {
  for (const name of Object.keys(params)) {
    if (!names.includes(name)) {
      throw invalid(`Received unknown parameter: ${name}`, { code: "parameter_unknown", param: name });
    }
  }
}

export interface Saved {
  status: number;
  body: string;
  headers: Record<string, string>;
}

export const saved = (status: number, body: unknown, headers: Record<string, string> = {}): Saved => ({
  status,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", "request-id": `req_${crypto.randomUUID().slice(0, 14)}`, ...headers },
});

export const savedError = ({ status, type, details, message, headers }: WireError): Saved =>
  saved(status, { error: { type, message, ...details } }, headers);

export const toResponse = ({ status, body, headers }: Saved) => new Response(body, { status, headers });

export const list = (url: string, data: unknown[], limit: number) => ({
  object: "list",
  url,
  has_more: data.length > limit,
  data: data.slice(0, limit),
});

/** The Stripe-Signature header; several secrets while one is being rotated. */
export function sign(body: string, secrets: string[], seconds = Math.floor(Date.now() / 1000)): string {
  const digest = (secret: string) => createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return [`t=${seconds}`, ...secrets.map((secret) => `v1=${digest(secret)}`)].join(",");
}

/** The request by which Stripe delivers an event. */
export function signedRequest(event: unknown, secret: string): Request {
  const body = JSON.stringify(event), headers = { "stripe-signature": sign(body, [secret]) };
  return new Request("http://webhook.test", { method: "POST", headers, body });
}
