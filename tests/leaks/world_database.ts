// Worlds in a database: their rows, the changes after publication, and which columns have marks.
import type postgres from "postgres";
import { waitFor } from "../wait_for.ts";
import type { Podcast, TableRow, World } from "./world.ts";

/** Text columns of tables of ours and of Auth. */
export interface TextColumn {
  table: string;
  column: string;
  type: string;
}

export async function readColumns(sql: postgres.Sql): Promise<TextColumn[]> {
  return await sql<TextColumn[]>`
    select format('%s.%s', n.nspname, c.relname) as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where n.nspname in ('public', 'private') and c.relkind = 'r'
      and format_type(a.atttypid, null) in ('text', 'jsonb', 'text[]')
    order by 1, 2`;
}

/** Gives every text column that a row leaves out a mark of its own, in the form that the column requires. */
function fill({ mark }: World, { table, row }: TableRow, columns: TextColumn[]): Record<string, unknown> {
  const filled = { ...row };
  for (const { column, type } of columns) {
    if (column in filled || type !== "text" || UNMARKED.has(`${table}.${column}`)) continue;
    const word = mark(`${table.replace("public.", "")}.${column}`);
    filled[column] = /email|reply_to|organizer/.test(column)
      ? `${word}@private.example`
      : /(url|endpoint|destination)$/.test(column)
      ? `https://private.example/${word}`
      : word;
  }
  return filled;
}

/**
 * Inserts the rows as they are: triggers would send emails and fire automations. Checks of columns are in force. Then
 * feeds are rendered, episodes are withdrawn, and podcasts deleted, as the product does it.
 */
export async function buildWorlds(sql: postgres.Sql, worlds: World[]): Promise<void> {
  const columns = Map.groupBy(await readColumns(sql), ({ table }) => table);
  const groups = new Map<string, { table: string; names: string[]; rows: Record<string, unknown>[] }>();
  for (const world of worlds) {
    for (const one of world.rows) {
      const row = fill(world, one, columns.get(one.table) ?? []), names = Object.keys(row).sort();
      const key = `${one.table} ${names}`;
      if (!groups.has(key)) groups.set(key, { table: one.table, names, rows: [] });
      groups.get(key)!.rows.push(row);
    }
  }
  const rejected: string[] = [];
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    for (const { table, names, rows } of groups.values()) {
      const list = names.map((name) => `"${name}"`).join(", ");
      const insert = `insert into ${table} (${list})
        select ${list} from jsonb_populate_recordset(null::${table}, $1::text::jsonb)`;
      await sql.savepoint((sql) => sql.unsafe(insert, [JSON.stringify(rows)]))
        .catch((error) => rejected.push(`${table}: ${error.message} ${error.detail ?? ""}`));
    }
  });
  if (rejected.length > 0) throw new Error(`Rows of a world are rejected:\n${rejected.join("\n")}`);
}

/** Publishes, and then withdraws episodes, requests deletions and deletes podcasts, whose triggers tell the worker. */
export async function changeWorlds(sql: postgres.Sql, worlds: World[]): Promise<void> {
  const podcasts = worlds.flatMap(({ podcasts }) => podcasts);
  const idsOf = (of: typeof podcasts) => of.map(({ row }) => row.id);
  await publish(sql, idsOf(podcasts));
  const withdrawn = podcasts.flatMap(({ episodes }) => episodes).filter(({ state }) => state === "withdrawn");
  await sql`update public.episodes set status = 'draft' where id = any(${withdrawn.map(({ row }) => row.id)}::uuid[])`;
  const isGone = ({ state }: Podcast) => state === "deleted" || state === "moved";
  const ending = podcasts.filter(({ state, isNative }) => isNative && state !== "active" && state !== "paused");
  await sql`
    update public.podcasts p set status = 'pending_deletion', deletion_requested_at = now(),
      deletion_scheduled_at = now() + interval '20 days', deletion_redirect_url = e.url
    from jsonb_to_recordset(${
    JSON.stringify(ending.map(({ row, redirectUrl }) => ({ id: row.id, url: redirectUrl })))
  }::text::jsonb) e (id uuid, url text)
    where p.id = e.id`;
  // one per transaction, as the worker does it: the messages of two would be locked in another order than it ends them
  for (const id of idsOf(ending.filter(isGone))) {
    await sql`select private.delete_due_podcast(${id}, now() + interval '21 days')`;
  }
  await sql`delete from public.podcasts where id = any(${idsOf(podcasts.filter(isGone))}::uuid[])`; // external ones
  await awaitWorker(sql);
}

/** Sanitizes notes and renders feeds, as the messages that triggers enqueue would. */
async function publish(sql: postgres.Sql, ids: string[]) {
  await sql`
    select private.enqueue('show_notes', jsonb_build_object('podcast_id', p.id))
    from public.podcasts p where p.id = any(${ids}::uuid[])`;
  await sql`
    select private.invalidate_feed('podcast.updated', p.id, p.slug) from public.podcasts p
    where p.id = any(${ids}::uuid[]) and p.hosting_type = 'native'`;
  await awaitWorker(sql);
}

async function awaitWorker(sql: postgres.Sql) {
  await waitFor("the worker has done its messages", async () => {
    const [{ waiting }] = await sql`
      select (select count(*) from pgmq.q_feed_invalidation) + (select count(*) from pgmq.q_show_notes) as waiting`;
    return Number(waiting) === 0;
  }, 300);
  const [{ failed }] = await sql`
    select (select count(*) from pgmq.q_feed_invalidation_dlq) + (select count(*) from pgmq.q_show_notes_dlq) as failed`;
  if (Number(failed) > 0) throw new Error(`${failed} messages of the worker failed`);
}

/** The text columns in which no row has a mark. */
export async function unmarkedColumns(sql: postgres.Sql): Promise<string[]> {
  const unmarked: string[] = [];
  for (const [table, columns] of Map.groupBy(await readColumns(sql), ({ table }) => table)) {
    const [row] = await sql.unsafe(
      `select ${
        columns.map(({ column }) => `coalesce(bool_or("${column}"::text ~ 'cnry'), false) as "${column}"`)
      } from ${table}`,
    );
    unmarked.push(...columns.filter(({ column }) => !row[column]).map(({ column }) => `${table}.${column}`));
  }
  return unmarked.sort();
}

const listed = (table: string, columns: string) => columns.split(" ").map((column) => `${table}.${column}`);

/** Columns without marks: closed vocabularies, formats without room for a text, and rows that the product writes. */
export const UNMARKED = new Set([
  ...listed("private.access_tokens", "kind"),
  ...listed("private.delivery_addresses", "access locale subject timezone"),
  ...listed("private.direct_uploads", "content_type rejection_code"),
  ...listed("private.email_backoffs", "group_key"),
  ...listed("private.email_suppressions", "reason type"),
  ...listed("private.episode_search", "dictionary"),
  ...listed("private.events", "type"),
  ...listed("private.feed_documents", "digest etag findings"),
  ...listed("private.feed_items", "context_hash findings"),
  ...listed("private.feed_pages", "etag"),
  ...listed("private.feed_redirects", "check_code check_message former_url"),
  ...listed("private.frequent_jobs", "last_error name"),
  ...listed("private.image_types", "formats name"),
  ...listed("private.import_transfers", "content_type"),
  ...listed("private.media_copies", "content_type"),
  ...listed("private.media_objects", "content_type usage"),
  ...listed("private.plan_limits", "name plan_code"),
  ...listed("private.podcast_reminders", "kind"),
  ...listed("private.podcast_tombstones", "language"),
  ...listed("private.push_sends", "outcome"),
  ...listed("private.push_subscription_keys", "auth p256dh"),
  ...listed("private.installed_objects", "kind name"),
  ...listed("private.queues", "description fair_key last_key name retried_by"),
  ...listed("private.rate_limits", "key"),
  ...listed("private.resend_events", "reason type"),
  ...listed("private.settings", "choices default_value description key resolved_value value"),
  ...listed("private.stripe_events", "id type"),
  ...listed("private.subscriptions", "checkout_price_id known_price_id marks_overruled"),
  ...listed("private.texts", "key locale text"),
  ...listed("public.automation_actions", "disabled_reason"),
  ...listed("public.automation_rules", "pause_reason condition_mode"),
  ...listed("public.automation_tags", "example tag"),
  ...listed("public.billing_accounts", "plan_code"),
  ...listed("public.booking_links", "availability_rules date_overrides timezone"),
  ...listed("public.bookings", "cancelled_by guest_locale guest_timezone"),
  ...listed("public.episode_transcripts", "language rel type"),
  ...listed("public.episodes", "audio_content_type"),
  ...listed("public.notification_deliveries", "type"),
  ...listed("public.notification_types", "preference subject type"),
  ...listed("public.notifications", "type"),
  ...listed("public.plan_prices", "currency plan_code stripe_price_id"),
  ...listed("public.plans", "code name"),
  ...listed("public.podcast_categories", "category subcategory"),
  ...listed("public.podcast_imports", "locked_owner_email verification_token"),
  ...listed("public.podcasts", "language medium"),
  ...listed("public.profiles", "locale timezone"),
]);
