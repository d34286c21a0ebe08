// What every part of the service is given.
import type postgres from "../postgres_client.ts";
import type { Tokens } from "../tokens.ts";
import { refuse } from "./errors.ts";
import type { AuthSettings } from "./settings.ts";

export type Json = Record<string, unknown>;
/** The pool, or the transaction one is in. */
export type Sql = postgres.ISql;

export interface Mail {
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
  /** Of the service as clients reach it: `<gateway>/auth/v1`. */
  url: string;
  send(mail: Mail): Promise<void>;
}

/** One request, read. */
export interface Call {
  request: Request;
  body: Json;
  query: URLSearchParams;
  /** Where a mailed link may lead afterwards. */
  redirectTo: string;
  /** The client's address, as far as it can be known. */
  client: string;
  isAdmin: boolean;
}

/** Answers a call with a reply, or with what becomes the JSON of a 200. */
export type Route = (service: Service, call: Call) => Promise<Response | Json>;

/** A member that must be text when it is there; absent and null are "". */
export function text(body: Json, name: string): string {
  const value = body[name] ?? "";
  if (typeof value === "string") return value;
  return refuse(400, "bad_json", `Could not parse request body as JSON: ${name} must be a string`);
}

/** A member that must be an object when it is there. */
export function object(body: Json, name: string): Json | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "object" && !Array.isArray(value)) return value as Json | undefined;
  return refuse(400, "bad_json", `Could not parse request body as JSON: ${name} must be an object`);
}
