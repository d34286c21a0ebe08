// Types that the parts of the service share.
import type postgres from "../postgres/client.ts";
import type { Tokens } from "./tokens.ts";
import { fail } from "./errors.ts";
import type { Limit } from "./limit.ts";
import type { AuthSettings } from "./settings.ts";

export type Json = Record<string, unknown>;
/** The pool or a transaction. */
export type Sql = postgres.ISql;

export interface Email {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Service {
  /** Connected as supabase_auth_admin, so that triggers on auth.users run with the rights they have in production. */
  sql: postgres.Sql;
  tokens: Tokens;
  settings: AuthSettings;
  /** The public URL of the service: `<gateway>/auth/v1`. */
  url: string;
  limits: {
    /** Wrong codes and nonces, per client or user. */
    wrongCodes: Limit;
    /** Per client. */
    anonymousSignIns: Limit;
  };
  send(email: Email): Promise<void>;
}

/** A parsed request. */
export interface Call {
  request: Request;
  /** Reading it throws 400 if the request has no JSON object, or 413. */
  readonly body: Json;
  query: URLSearchParams;
  /** The parameters of the path. */
  path: Record<string, string>;
  /** The redirect of an emailed link. */
  redirectTo: string;
  /** The client's IP address, from the first hop of X-Forwarded-For. */
  client: string;
  isAdmin: boolean;
}

/** Returns a response, or the JSON of a 200. */
export type Route = (service: Service, call: Call) => Promise<Response | Json> | Response | Json;

/** Reads a member that must be a string. Absent and null are "". */
export function text(body: Json, name: string): string {
  const value = body[name] ?? "";
  if (typeof value === "string") return value;
  return fail(400, "bad_json", `Could not parse request body as JSON: ${name} must be a string`);
}

export const isUuid = (value: unknown): value is string =>
  typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/** Reads a member that must be an object or absent. */
export function object(body: Json, name: string): Json | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "object" && !Array.isArray(value)) return value as Json | undefined;
  return fail(400, "bad_json", `Could not parse request body as JSON: ${name} must be an object`);
}
