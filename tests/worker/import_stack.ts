// A stack whose own worker is never woken: only workers that the test starts process the import.
import { createClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import { asPostgres } from "../database.ts";
import { startTestStack, type TestStack } from "../stack.ts";

export interface ImportStack extends AsyncDisposable {
  at: TestStack;
  sql: postgres.Sql;
  podcastId: string;
  ownerId: string;
  /** POST /api/imports/<path>, by the podcast's owner. */
  // deno-lint-ignore no-explicit-any -- each test checks the body it expects
  post(path: string, json?: unknown): Promise<{ status: number; body: any }>;
  /** Imports the feed to its preview and confirms it; its messages are visible immediately. */
  startConfirmed(feedUrl: string, applyChannel?: string[]): Promise<string>;
  /** Makes delayed messages visible. */
  makeMessagesVisible(): Promise<void>;
  /** Makes the messages of a killed worker visible, too. */
  endVisibilityTimeouts(): Promise<void>;
  /** Number of items by status. */
  countByStatus(importId: string): Promise<Record<string, number>>;
}

export async function startImportStack(allowed: string[]): Promise<ImportStack> {
  const at = await startTestStack();
  const sql = asPostgres(at);
  await sql`select private.set_setting('worker_url', 'http://127.0.0.1:9'), private.set_setting('fetch_allowed_hosts', ${
    allowed.join(",")
  })`;
  await sql`update private.queues set backoff_base = '1 second', backoff_max = '1 second'
    where name in ('import_items', 'import_files')`;
  const auth = { persistSession: false, autoRefreshToken: false };
  const account = { email: "mover@people.test", password: "correct horse" };
  await createClient(at.url, at.secretKey, { auth }).auth.admin.createUser({ ...account, email_confirm: true });
  const owner = createClient(at.url, at.publishableKey, { auth });
  const { data: { session, user } } = await owner.auth.signInWithPassword(account);
  const { data: { id: podcastId } } = await owner.rpc("create_podcast", { title: "Moved" });

  const post: ImportStack["post"] = async (path, json) => {
    const response = await fetch(`${at.functionsUrl}/api/imports/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${session!.access_token}`, "content-type": "application/json" },
      body: JSON.stringify(json),
    });
    return { status: response.status, body: await response.json() };
  };
  const makeVisible = async (...states: string[]) => {
    for (const queue of ["import_items", "import_files"]) {
      await sql`update pgmq.${sql(`q_${queue}`)} q set vt = now()
        where vt > now() and private.message_state(q.read_ct, q.headers) = any (${states})`;
    }
  };
  return {
    at,
    sql,
    podcastId,
    ownerId: user!.id,
    post,
    makeMessagesVisible: () => makeVisible("waiting"),
    endVisibilityTimeouts: () => makeVisible("waiting", "claimed"),
    async startConfirmed(feedUrl, applyChannel = []) {
      const started = await post("podcast", { podcast_id: podcastId, feed_url: feedUrl });
      if (started.status !== 200) throw new Error(JSON.stringify(started.body));
      const id = started.body.data.importId;
      const { status, body } = await post(`${id}/confirm`, {
        applyDetectedEpisodeNumbers: false,
        limit: null,
        applyChannel,
      });
      if (status !== 200) throw new Error(JSON.stringify(body));
      await makeVisible("waiting");
      return id;
    },
    async countByStatus(importId) {
      const rows = await sql<{ status: string; count: number }[]>`
        select status, count(*)::int from public.podcast_import_items where import_id = ${importId} group by status`;
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 });
      await at[Symbol.asyncDispose]();
    },
  };
}
