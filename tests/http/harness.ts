/** Black-box requests to the running stack, by users with different roles on a podcast. */
import assert from "node:assert/strict";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import { connectTo } from "../database.ts";
import { stack } from "../stack.ts";
import { assertDocumented } from "./documented_responses.ts";

export const stackInfo = await stack();

/** The stack's database, for facts that HTTP does not return. */
export const sql = connectTo(stackInfo.dbUrl, 2);
await Promise.all([sql`select pg_sleep(0.05)`, sql`select`]); // connects both now, so that no test appears to leak one

/**
 * `owner`, `admin` and `member` are on the team of each podcast of `podcast()`; `stranger` is a signed-in non-member,
 * `anonymous` the user of an anonymous sign-in, and `anon` has no token.
 */
export type Role = "owner" | "admin" | "member" | "stranger" | "anonymous" | "anon";

export interface Person {
  id: string;
  email: string;
  token: string;
  client: SupabaseClient;
}

const newClient = () =>
  createClient(stackInfo.url, stackInfo.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });

/** Reads every body, because auth-js leaves that of a 500 unread, which makes a later test fail. */
async function fetchWhole(...args: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...args);
  return new Response(await response.text() || null, response);
}

const people = new Map<string, Promise<Person>>();

/** A confirmed, signed-in user; one per name and stack. */
export function person(name: string): Promise<Person> {
  if (!people.has(name)) people.set(name, name === "anonymous" ? signInAnonymously() : signIn(name));
  return people.get(name)!;
}

/** A user of one test alone. */
export const newPerson = (name: string) => person(`${name}-${crypto.randomUUID()}`);

async function signIn(name: string): Promise<Person> {
  const email = `${name}@people.test`, password = "correct horse";
  const admin = createClient(stackInfo.url, stackInfo.secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: fetchWhole },
  });
  // fails if another test file created the user; signing in shows whether it exists
  await admin.auth.admin.createUser({ email, password, email_confirm: true });
  const client = newClient();
  const { data, error } = await client.auth.signInWithPassword({ email, password });
  if (error) throw error;
  return { id: data.user.id, email, token: data.session.access_token, client };
}

/** Auth's token of an anonymous user: a user who becomes one, because the project's settings let none sign in. */
async function signInAnonymously(): Promise<Person> {
  const { id, client } = await signIn(`anonymous-${crypto.randomUUID()}`);
  await sql`delete from public.profiles where id = ${id}`;
  await sql`update auth.users set is_anonymous = true, email = null, email_confirmed_at = null where id = ${id}`;
  const { data, error } = await client.auth.refreshSession();
  if (error) throw error;
  return { id, email: "", token: data.session!.access_token, client };
}

// Created before the first test
await Promise.all(["owner", "admin", "member", "stranger"].map(person));

/** Calls a function with supabase-js and throws its error. */
export async function callRpc<T = Record<string, unknown>>(by: Person, name: string, args: Record<string, unknown>) {
  const { data, error } = await by.client.rpc(name, args);
  if (error) throw new Error(`${name}: ${error.message}`);
  return data as T;
}

export interface Podcast {
  id: string;
  slug: string;
}

/** Creates a podcast with an owner (the given user), an admin and a member. */
export async function podcast(title = "A show", ownedBy = "owner"): Promise<Podcast> {
  const owner = await person(ownedBy);
  const made = await callRpc<Podcast>(owner, "create_podcast", { title });
  for (const role of ["admin", "member"]) {
    await addMember(made, await person(role), role);
  }
  return made;
}

/** Adds a team member without an invitation. */
export async function addMember(podcast: { id: string }, { id }: { id: string }, role = "member") {
  await sql`insert into public.podcast_members (podcast_id, user_id, role) values (${podcast.id}, ${id}, ${role})`;
}

/** Schedules a podcast's deletion in 90 days. */
export async function scheduleDeletion({ id }: { id: string }, db: postgres.ISql = sql) {
  await db`
    update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(),
      deletion_scheduled_at = now() + interval '90 days'
    where id = ${id}`;
}

export interface Episode {
  id: string;
  slug: string;
}

/** Creates a draft without audio. */
export async function episode(podcast: Podcast, title = "Pilot"): Promise<Episode> {
  return await callRpc<Episode>(await person("admin"), "create_episode", { podcast_id: podcast.id, title });
}

export { waitFor } from "../wait_for.ts";

export interface RequestOptions {
  method: string;
  /** Under `<project>/functions/v1`: `/api/health`. */
  path: string;
  /** A role of `podcast()`, or any token. */
  as?: Role | { token: string };
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  // deno-lint-ignore no-explicit-any -- tests check the body's shape
  body: any;
}

/** Sends a request through the gateway. The OpenAPI documents must declare its response. */
export async function sendRequest(
  { method, path, as = "anon", json, body, headers }: RequestOptions,
): Promise<ApiResponse> {
  const token = typeof as === "object" ? as.token : as === "anon" ? undefined : (await person(as)).token;
  const response = await fetch(stackInfo.functionsUrl + path, {
    method,
    headers: {
      ...token && { authorization: `Bearer ${token}` },
      ...json !== undefined && { "content-type": "application/json" },
      ...headers,
    },
    body: json !== undefined ? JSON.stringify(json) : body,
  });
  const text = await response.text();
  assertDocumented({ method, path, response, text });
  const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** Asserts that the body has exactly these members. */
export function assertKeys(body: object, ...names: string[]) {
  assert.deepEqual(Object.keys(body).sort(), names.sort());
}

/** Asserts an error with this status, and an envelope of error, details, code and these members. */
export function assertError(response: ApiResponse, status: number, expected: Record<string, unknown> = {}) {
  assert.equal(response.status, status, response.text);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(typeof response.body.error, "string");
  if (status === 500) assert.equal(response.body.requestId, response.headers.get("x-request-id"));
  if (status === 503) assert.match(response.headers.get("retry-after") ?? "", /^\d+$/);
  if (status === 429) {
    assert.match(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    const ms = Date.parse(response.body.rate_limit_reset_at) - Number(response.headers.get("retry-after")) * 1000;
    assert(ms <= Date.now(), `Retry-After ends no earlier than ${response.body.rate_limit_reset_at}`);
  }
  const own = status === 500 ? ["requestId"] : [];
  const known = new Set(["error", "details", "code", ...own, ...Object.keys(expected)]);
  assert.deepEqual(Object.keys(response.body).filter((name) => !known.has(name)), []);
  for (const [name, value] of Object.entries(expected)) {
    value instanceof RegExp ? assert.match(response.body[name], value) : assert.deepEqual(response.body[name], value);
  }
}
