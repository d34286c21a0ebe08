// Imports a feed without its files and renders ours: the reader, the import functions, the sanitizer and the writer.
import type postgres from "postgres";
import { renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { wellFormedTags } from "../../functions/feed_writer/extra_tags.ts";
import type { FeedEpisode, FeedPodcast, PodcastContext } from "../../functions/feed_writer/feed_rows.ts";
import type { FeedItem } from "../../functions/feed_reader/feed.ts";
import type { Loss } from "../../functions/feed_reader/losses.ts";
import { sanitizeShowNotes, textToHtml } from "../../functions/show_notes/sanitize.ts";
import { SHOW_NOTES_VERSION } from "../../functions/show_notes/version.ts";
import { readFeedText, type Reading } from "../feed_reader/reading.ts";

export interface ImportedFeed {
  reading: Reading;
  /** Our feed. */
  xml: string;
  channelLosses: Loss[];
  /** By GUID. Failed and scheduled items are not in our feed. */
  items: Map<string, { losses: Loss[]; isPublished: boolean }>;
  /** The result of get_import_report. */
  report: Report;
}

export interface Report {
  channel: { modelled: string[]; carried: string[]; lost: Loss[] };
  summary: Record<string, { count: number; list: { path: string; reason?: string; count: number }[] }>;
}

class Rollback extends Error {}

/** Imports all items of a feed with all fields of its channel, and rolls it back. */
export async function importFeed(
  sql: postgres.Sql,
  feed: string | Uint8Array,
  maxItems = Infinity,
  feedUrl = "https://show.example/feed.xml",
): Promise<ImportedFeed> {
  const reading = await readFeedText(feed, { piece: 10_000, url: feedUrl });
  reading.read = reading.read.slice(0, maxItems);
  let imported: ImportedFeed | undefined;
  try {
    await sql.begin(async (transaction) => {
      imported = await runImport(transaction, reading, feedUrl);
      throw new Rollback();
    });
  } catch (error) {
    if (!(error instanceof Rollback)) throw error;
  }
  return imported!;
}

async function runImport(sql: postgres.TransactionSql, reading: Reading, feedUrl: string): Promise<ImportedFeed> {
  const [{ podcast_id: podcastId, import_id: importId }] = await sql`
    with owner as (
      insert into auth.users (id, email, email_confirmed_at, aud, role)
      values (gen_random_uuid(), gen_random_uuid() || '@test.local', now(), 'authenticated', 'authenticated') returning id
    )
    select set_config('request.jwt.claims', jsonb_build_object('sub', id, 'role', 'authenticated')::text, true), id
    from owner`.then(([{ id }]) =>
    sql`
    with podcast as (
      insert into public.podcasts (owner_id, title, cover_image_url)
      values (${id}, 'Imported', 'https://media.example/cover.jpg') returning id
    )
    insert into public.podcast_imports (podcast_id, feed_url, created_by)
    select id, ${feedUrl}, ${id} from podcast returning podcast_id, id as import_id`
  );
  await stage(sql, importId, reading);
  // an owner who shows the address and has proved it, so that all of the channel is compared
  await sql`update public.podcasts set show_owner_email = true where id = ${podcastId}`;
  await sql`
    update public.podcast_imports set status = 'preview', verification_method = null, verification_token = null
    where id = ${importId} and status <> 'preview'`;
  await sql`
    select public.confirm_import(${importId}, apply_channel =>
      (select array(select jsonb_object_keys(c.fields)) from public.podcast_import_channels c
       where c.import_id = ${importId}))`;
  await sql`
    select private.create_imported_episode(private.unmask_import_item(i), format('podcasts/%s/e/%s/audio/a.mp3', i.podcast_id, i.id), 1000,
      'audio/mpeg', (i.parsed_payload ->> 'durationSeconds')::int,
      case when i.parsed_payload ->> 'image' is not null then jsonb_build_object(
        'path', format('podcasts/%s/e/%s/images/a.jpg', i.podcast_id, i.id), 'bytes', 1000, 'contentType', 'image/jpeg',
        'width', 1400, 'height', 1400) end)
    from public.podcast_import_items i where i.import_id = ${importId} and i.status = 'pending' order by i.position`;
  const xml = await render(sql, podcastId);
  const [{ losses: channelLosses }] = await sql`
    select losses from public.podcast_import_channels where import_id = ${importId}`;
  const rows = await sql`
    select i.guid, t.losses, coalesce(e.status = 'published', false) as is_published
    from public.podcast_import_items i join public.podcast_import_item_texts t on t.import_item_id = i.id
    left join public.episodes e on e.id = i.id where i.import_id = ${importId}`;
  const [{ report }] = await sql`select public.get_import_report(${importId}) -> 'data' as report`;
  const items = new Map(rows.map((row) => [row.guid, { losses: row.losses, isPublished: row.is_published }]));
  return { reading, xml, channelLosses, items, report };
}

async function stage(sql: postgres.TransactionSql, importId: string, { read, channel, warnings }: Reading) {
  for (let at = 0; at < read.length; at += 200) {
    const batch = JSON.stringify(read.slice(at, at + 200) satisfies FeedItem[]);
    await sql`select private.stage_import_items(${importId}, ${batch}::text::jsonb)`;
  }
  await sql`
    select private.finish_staging(${importId}, ${JSON.stringify(channel)}::text::jsonb,
      '{"pattern": null, "confidence": 0, "numbers": {}, "conflicts": []}', ${JSON.stringify(warnings)}::text::jsonb)`;
}

async function render(sql: postgres.TransactionSql, podcastId: string): Promise<string> {
  for (;;) {
    const stale = await sql`
      select * from private.list_stale_show_notes(${podcastId}, ${SHOW_NOTES_VERSION}, true)`;
    if (!stale.length) break;
    const notes = stale.map(({ episode_id, source, is_html, digest }) => ({
      ...{ episode_id, digest },
      html: is_html ? sanitizeShowNotes(source) : textToHtml(source),
    }));
    await sql`select private.store_feed_show_notes(${SHOW_NOTES_VERSION}, ${JSON.stringify(notes)}::text::jsonb)`;
  }
  const [{ podcast, podcast_context: context, stale }] = await sql<
    { podcast: FeedPodcast; podcast_context: PodcastContext; stale: FeedEpisode[] }[]
  >`select podcast, podcast_context, stale from private.get_feed_for_rendering(${podcastId}, 1, 100000, 1000000000)`;
  for (const row of [podcast, ...stale]) {
    const tags = await wellFormedTags(row.extra_tags);
    if (tags.length < row.extra_tags.length) throw new Error("The writer drops an extra tag");
  }
  return renderHead({ ...podcast, changed_at: new Date(0) }) +
    stale.map((episode) => renderItem(episode, context)).join("") + TAIL;
}
