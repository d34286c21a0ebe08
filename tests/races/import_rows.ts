// Imports for the tests of races, and the calls of their podcast's admin and of the worker.
import { deepStrictEqual as deepEqual } from "node:assert";
import type { Operation } from "../../functions/database/operations.ts";
import { outcome, type RaceDatabase } from "./race_database.ts";

/** Imports whose counters or status contradict their items. */
const WRONG_IMPORTS = `
  select i.id, i.status, i.total_items, i.completed_count, i.failed_count, i.skipped_count
  from public.podcast_imports i left join lateral (
    select count(*) as total, count(*) filter (where t.status = 'completed') as completed,
      count(*) filter (where t.status = 'failed') as failed, count(*) filter (where t.status::text like 'skipped%') as skipped
    from public.podcast_import_items t where t.import_id = i.id) r on true
  where (i.total_items, i.completed_count, i.failed_count, i.skipped_count) <> (r.total, r.completed, r.failed, r.skipped)
    or i.status = 'running' and r.total = r.completed + r.failed + r.skipped
    or i.status in ('completed', 'partial', 'failed') and (r.total > r.completed + r.failed + r.skipped or i.status::text <>
      case when r.failed = 0 then 'completed' when r.completed = 0 then 'failed' else 'partial' end)`;

/** Adds the podcast `show` of ola, whose admin ana makes the calls. */
export async function importRows({ sql, as, id }: RaceDatabase) {
  await sql`select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin')`;

  const statusOf = async (name: string) =>
    (await sql`select status from public.podcast_imports where id = ${await id(name)}`)[0].status;
  const assertExact = async () => deepEqual([...await sql.unsafe(WRONG_IMPORTS)], []);

  /** Creates an import in preview with items `0`, `1`, …. */
  async function fresh(items: number, podcast = "show"): Promise<{ importId: string; items: string[] }> {
    await sql`delete from public.podcast_imports`;
    await sql`delete from public.episodes`;
    await sql`select pgmq.purge_queue('import_items'), pgmq.purge_queue('import_items_dlq')`;
    await sql`select tests.import('it', ${podcast})`;
    await sql`
      insert into public.podcast_import_items (import_id, podcast_id, position, guid, parsed_payload)
      select tests.id('it'), tests.id(${podcast}), n, n::text, '{"persons": [{"name": "Jane", "role": "guest"}]}'
      from generate_series(0, ${items - 1}::int) n`;
    const rows = await sql`select id from public.podcast_import_items order by position`;
    return { importId: await id("it"), items: rows.map((row) => row.id) };
  }
  const verb = (operation: Operation, args: Record<string, unknown>) => as("ana", operation, args);
  const confirm = (importId: string) => verb("confirm_import", { importId });
  const cancel = (importId: string) => verb("cancel_import", { importId });

  /** Finishes an item as the worker does after it has stored the audio. */
  async function stored(item: string): Promise<string> {
    const [{ path }] = await sql`
      insert into storage.objects (bucket_id, name, metadata)
      select 'media', private.audio_path(i.podcast_id, i.id, gen_random_uuid(), 'audio/mpeg'), '{"size": 100}'
      from public.podcast_import_items i where i.id = ${item} returning name as path`;
    return path;
  }
  /** Begins an item as the worker does. */
  const begin = async (item: string): Promise<string | null> => {
    try {
      return (await sql`select private.begin_import_item(${item}, 1) ->> 'skip' as skip`)[0].skip;
    } catch (error) {
      if ((error as { code: string }).code !== "40001") throw error;
      return await begin(item);
    }
  };
  const finish = (item: string, path: string) =>
    outcome(sql`select private.finish_import_item(${item}, ${path}, 100, 'audio/mpeg', 60)`);
  async function done(item: string): Promise<string> {
    const path = await stored(item);
    await begin(item);
    return await finish(item, path);
  }

  return { statusOf, assertExact, fresh, verb, confirm, cancel, stored, begin, finish, done };
}
