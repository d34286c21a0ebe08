// The product on a project whose Storage has no object versions yet, and while the platform upgrades it.
import { deepStrictEqual as deepEqual } from "node:assert";
import { connectTo } from "../database.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";

Deno.test("sizes and sweeps work before, during and after an upgrade of Storage to object versions", async () => {
  await using scratch = await createFeedDatabase();
  const sql = connectTo(scratch.url, 1); // one session, so that its plans outlive the upgrade
  const owner = connectTo(scratch.url.replace("//postgres:", "//supabase_admin:"), 1);
  const read = async () => {
    const [{ size }] = await sql`select private.stored_size('podcasts/a/kept') as size`;
    const names = await sql`select name from private.stored_objects('media', 'podcasts/a')`;
    await sql`select pgmq.purge_queue('storage_gc')`;
    await sql`select private.sweep_storage(now() + interval '8 days'), private.sweep_staging()`;
    const queued = await sql`
      select path from pgmq.q_storage_gc, jsonb_array_elements_text(message -> 'paths') path order by path`;
    return { size: Number(size), names: names.map(({ name }) => name), queued: queued.map(({ path }) => path) };
  };
  try {
    await owner`alter table storage.objects
      drop column archived_at cascade, drop column is_delete_marker, drop column is_versioned cascade`;
    await owner`create unique index bucketid_objname on storage.objects (bucket_id, name)`;
    await sql`
      insert into storage.objects (bucket_id, name, metadata) values ('media', 'podcasts/a/kept', '{"size": 10}'),
        ('media', 'podcasts/a/deleted', '{"size": 20}'), ('staging', 'uploads/a', '{"size": 30}')`;
    const before = {
      size: 10,
      names: ["podcasts/a/deleted", "podcasts/a/kept"],
      queued: ["podcasts/a/deleted", "podcasts/a/kept", "uploads/a"],
    };
    deepEqual(await read(), before);

    await owner`alter table storage.objects
      add archived_at timestamptz,
      add is_delete_marker boolean not null default false,
      add is_versioned boolean not null default false`;
    await owner`drop index storage.bucketid_objname`;
    deepEqual(await read(), before);

    await sql`update storage.objects set archived_at = now(), version = 'first' where bucket_id = 'media'`;
    await sql`
      insert into storage.objects (bucket_id, name, metadata, version, is_delete_marker) values
        ('media', 'podcasts/a/kept', '{"size": 11}', 'second', false),
        ('media', 'podcasts/a/deleted', null, 'second', true)`;
    const after = { size: 11, names: ["podcasts/a/kept"], queued: ["podcasts/a/kept", "uploads/a"] };
    deepEqual(await read(), after);
  } finally {
    await sql.end({ timeout: 1 });
    await owner.end({ timeout: 1 });
  }
});
