// Helpers of the auth tests: clients, addresses and received emails.
import {
  type AuthError,
  createClient,
  type EmailOtpType,
  type SupabaseClientOptions,
  type VerifyOtpParams,
} from "@supabase/supabase-js";
import type postgres from "postgres";
import { connectTo } from "../../database.ts";
import type { StackInfo } from "../../stack.ts";

/** What the helpers use of a stack. */
export type AuthStack = Pick<StackInfo, "url" | "dbUrl" | "mailUrl" | "publishableKey" | "secretKey">;

export const SITE = "http://127.0.0.1:3000";
export const PASSWORD = "correct horse";

let count = 0;
/** A new address, with upper case because the service lowers it. */
export const newAddress = () => `Anna.${++count}.${crypto.randomUUID().slice(0, 8)}@example.org`;

export function clientOf(stack: AuthStack, auth: SupabaseClientOptions<"public">["auth"] = {}) {
  return createClient(stack.url, stack.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, ...auth },
  });
}

/** A client with a browser's storage, which a PKCE link needs at both ends. */
export function pkceClientOf(stack: AuthStack) {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  return clientOf(stack, { flowType: "pkce", persistSession: true, storage });
}

export function adminOf(stack: AuthStack) {
  const options = { auth: { persistSession: false, autoRefreshToken: false } };
  return createClient(stack.url, stack.secretKey, options).auth.admin;
}

/** As postgres, to move time and to look behind the API. */
export async function withSql<T>(stack: AuthStack, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = connectTo(stack.dbUrl, 1);
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Backdates the last emails to this address by some seconds. */
export async function backdateUser(stack: AuthStack, email: string, seconds: number): Promise<void> {
  await withSql(
    stack,
    (sql) =>
      sql`update auth.users set confirmation_sent_at = confirmation_sent_at - make_interval(secs => ${seconds}),
          recovery_sent_at = recovery_sent_at - make_interval(secs => ${seconds}),
          email_change_sent_at = email_change_sent_at - make_interval(secs => ${seconds}),
          reauthentication_sent_at = reauthentication_sent_at - make_interval(secs => ${seconds})
        where email = ${email.toLowerCase()}`,
  );
}

/** A confirmed user who is signed in. */
export async function signedIn(stack: AuthStack) {
  const email = newAddress();
  const { data, error } = await adminOf(stack).createUser({ email, password: PASSWORD, email_confirm: true });
  if (error) throw error;
  const client = clientOf(stack);
  const signIn = await client.auth.signInWithPassword({ email, password: PASSWORD });
  if (signIn.error) throw signIn.error;
  return { id: data.user.id, email: email.toLowerCase(), client, session: signIn.data.session };
}

export interface Email {
  to: string;
  subject: string;
  text: string;
  code: string;
  /** The link, to a page of the front end that verifies `hash`; empty in an email that carries a code only. */
  page: string;
  hash: string;
  type: string;
}

/** The received emails to this address, oldest first. The service sends them before it responds. */
export async function emails(stack: AuthStack, address: string): Promise<Email[]> {
  const inbox = `${stack.mailUrl}/api/v1`, query = `to:"${address.toLowerCase()}"`;
  const fetchJson = async (path: string) => await (await fetch(`${inbox}/${path}`)).json();
  const { messages }: { messages: { ID: string }[] } = await fetchJson(`search?${new URLSearchParams({ query })}`);
  const received: { Subject: string; Text: string; HTML: string }[] = await Promise.all(
    messages.map(({ ID }) => fetchJson(`message/${ID}`)),
  );
  return received.reverse().map(({ Subject, Text, HTML }) => {
    const page = /href="([^"]*)"/.exec(HTML)?.[1].replaceAll("&amp;", "&") ?? "",
      fragment = new URLSearchParams(page.split("#")[1]);
    return {
      to: address,
      subject: Subject,
      text: Text,
      code: /\b\d{6}\b/.exec(Text)![0],
      page,
      hash: fragment.get("token_hash") ?? "",
      type: fragment.get("type") ?? "",
    };
  });
}

export async function lastEmail(stack: AuthStack, address: string): Promise<Email> {
  return (await emails(stack, address)).at(-1) ?? Promise.reject(new Error(`no email for ${address}`));
}

export type Way = "code" | "link";

/** Confirms an email as the page does that its link opens, or by its code. */
export function confirm({ auth }: ReturnType<typeof clientOf>, { to, code, hash, type }: Email, way: Way) {
  const proof = way === "link" ? { token_hash: hash } : { email: to, token: code };
  return auth.verifyOtp({ ...proof, type: type as EmailOtpType } as VerifyOtpParams);
}

/** The link of a template that uses ConfirmationURL. */
export const serviceLink = (stack: AuthStack, { hash, type }: Email, redirect_to = SITE) =>
  `${stack.url}/auth/v1/verify?${new URLSearchParams({ token: hash, type, redirect_to })}`;

/** Follows the service's link as a browser does; returns the target with its query and fragment. */
export async function follow(link: string) {
  const response = await fetch(link, { redirect: "manual" });
  await response.body?.cancel();
  const url = new URL(response.headers.get("location")!);
  return { to: url.origin + url.pathname, query: url.searchParams, fragment: new URLSearchParams(url.hash.slice(1)) };
}

/** Sends a request as a client without a library does; `token` is a user's, a key's by default. */
export async function request(
  stack: AuthStack,
  route: string,
  { token, body, text: raw = body ? JSON.stringify(body) : undefined, key = stack.publishableKey }: {
    token?: string;
    body?: unknown;
    /** A body that need not be JSON. */
    text?: string;
    key?: string;
  } = {},
) {
  const [method, path] = route.split(" ");
  const headers: Record<string, string> = { apikey: key, ...token && { authorization: `Bearer ${token}` } };
  const init = { method, headers, body: raw, redirect: "manual" as const };
  const response = await fetch(`${stack.url}/auth/v1${path}`, init);
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, json };
}

/** Sends a request, of which it returns status, code and message. */
export const senderOf =
  (stack: AuthStack) => async (...[route, options]: [string, (Parameters<typeof request>[2])?]) => {
    const { status, json } = await request(stack, route, options);
    return [status, json?.error_code, json?.msg];
  };

/** The comparable parts of an error. */
export const errorOf = (error: AuthError | null) => error && { status: error.status, code: error.code };
