// Types that the parts of the service share.
import type postgres from "../postgres/client.ts";
import type { Tokens } from "./tokens.ts";
import type { Limit } from "./limit.ts";
import type { AuthSettings } from "./settings.ts";

export type Json = Record<string, unknown>;
/** The pool or a transaction. */
export type Sql = postgres.ISql;

export interface Email {
  to: string;
  subject: string;
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

/** A request that has an API key. */
export interface Call {
  request: Request;
  /** Reading it throws 413 if it is too large. */
  readonly body: string;
  query: URLSearchParams;
  /** The parameters of the path. */
  path: Record<string, string>;
  /** The redirect of an emailed link. */
  redirectTo: string;
  /** The client's IP address, from the first hop of X-Forwarded-For. */
  client: string;
}

/** Returns a response, or the JSON of a 200. */
export type Route = (service: Service, call: Call) => Promise<Response | Json> | Response | Json;

export const isUuid = (value: unknown): value is string =>
  typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
