/** Helpers of the realtime tests: users, tables to subscribe to, and channels that keep what they receive. */
import { createClient, type RealtimeChannel, type SupabaseClient } from "@supabase/supabase-js";
import { stack, type StackInfo } from "../../stack.ts";
import { asPostgres } from "../../database.ts";
import { waitFor } from "../../wait_for.ts";

export const server = await stack();

export const client = (key: string, url = server.url) =>
  createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } });

/** A new signed-in user. */
export async function user(name: string, at: StackInfo = server) {
  const email = `${name}-${crypto.randomUUID()}@example.com`;
  const made = await client(at.secretKey, at.url).auth.admin.createUser({
    email,
    password: "secret123",
    email_confirm: true,
  });
  if (made.error) throw made.error;
  const own = client(at.publishableKey, at.url);
  const signed = await own.auth.signInWithPassword({ email, password: "secret123" });
  if (signed.error) throw signed.error;
  return { id: made.data.user.id, client: own, token: signed.data.session.access_token };
}

// deno-lint-ignore no-explicit-any
export type Event = any;
export interface SubscriptionRequest {
  event?: "*" | "INSERT" | "UPDATE" | "DELETE";
  schema?: string;
  table?: string;
  filter?: string;
  select?: string[];
}

/** A subscribed channel with the events that it receives. */
export async function listen(who: SupabaseClient, ...requests: SubscriptionRequest[]) {
  const events: Event[] = [];
  const systems: Event[] = [];
  const channel = who.channel("sv-" + crypto.randomUUID()).on("system", {}, (message) => systems.push(message));
  for (const request of requests) {
    channel.on(
      "postgres_changes",
      { event: "*", schema: "public", ...request } as never,
      (event: Event) => events.push(event),
    );
  }
  await subscribed(channel);
  await waitFor("the database's word on the subscription", () => systems.length);
  return { channel, events, systems };
}

export function subscribed(channel: RealtimeChannel): Promise<void> {
  return new Promise((resolve, reject) =>
    channel.subscribe((status, error) => {
      if (status === "SUBSCRIBED") resolve();
      if (status === "CHANNEL_ERROR") reject(error ?? new Error(status));
    })
  );
}

/** A published table of notes with an owner who alone may read them. */
export async function notes(sql: ReturnType<typeof asPostgres>) {
  const table = "sv_notes_" + crypto.randomUUID().slice(0, 8);
  await sql.unsafe(`
    create table ${table} (id bigint generated always as identity primary key, owner uuid, title text, rank int, secret text);
    alter table ${table} enable row level security;
    create policy owners_read on ${table} for select to authenticated using (owner = (select auth.uid()));
    revoke all on ${table} from anon, authenticated, service_role;
    grant select (id, owner, title, rank) on ${table} to authenticated;
    grant select on ${table} to service_role;
    alter publication supabase_realtime add table ${table};`).simple();
  return { table, [Symbol.asyncDispose]: async () => void await sql.unsafe(`drop table ${table}`) };
}

export const leave = (...clients: SupabaseClient[]) => Promise.all(clients.map((one) => one.removeAllChannels()));

/** supabase-js leaves a timer behind when it disconnects. */
export const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });

/** Policies of realtime.messages, dropped at the end of the scope: `{ "insert to authenticated": "with check (…)" }`. */
export async function policies(sql: ReturnType<typeof asPostgres>, rules: Record<string, string>) {
  const names = Object.entries(rules).map(([target, rule]) => {
    const name = "sv_" + crypto.randomUUID().slice(0, 8);
    return { name, command: `create policy ${name} on realtime.messages for ${target} ${rule}` };
  });
  for (const { command } of names) await sql.unsafe(command);
  return {
    [Symbol.asyncDispose]: async () => {
      for (const { name } of names) await sql.unsafe(`drop policy ${name} on realtime.messages`);
    },
  };
}

/** The error of a subscription; undefined if it succeeds. */
export const refusal = (channel: RealtimeChannel): Promise<string | undefined> =>
  subscribed(channel).then(() => undefined, (error: Error) => error.message);
