// A database of the size at which a migration must not block writes: a million episodes and two million notifications.
import postgres from "../../local/postgres/client.ts";

export interface Size {
  episodes: number;
  notifications: number;
}

export const LARGE: Size = { episodes: 1_000_000, notifications: 2_000_000 };

/**
 * Fills a database that has the project's schema, as its superuser. Triggers are off, because they would take hours and
 * write messages; checks are on. Indexes are built after the rows.
 */
export async function fillDatabase(adminUrl: string, { episodes, notifications }: Size) {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`
      set session_replication_role = replica;
      insert into auth.users (id, email, email_confirmed_at)
        select md5('user ' || n)::uuid, n || '@castbase.test', now() from generate_series(1, 1000) n;
      insert into public.profiles (id) select id from auth.users;
      insert into public.podcasts (id, owner_id, slug, title, podcast_guid)
        select md5('podcast ' || n)::uuid, md5('user ' || n)::uuid, 'podcast-' || n, 'Podcast ' || n,
          md5('podcast ' || n)::uuid from generate_series(1, 1000) n;
      create temp table dropped as
        select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
        where i.indrelid in ('public.episodes'::regclass, 'public.notifications'::regclass)
          and not exists (select from pg_constraint c where c.conindid = i.indexrelid);
      do $$ declare d text; begin for d in select name from dropped loop execute 'drop index ' || d; end loop; end $$;
      insert into public.episodes (podcast_id, slug, guid, title, description, status, published_at, first_published_at)
        select md5('podcast ' || 1 + n % 1000)::uuid, 'episode-' || n, 'guid-' || n, 'Episode ' || n,
          repeat('words of a description ', 12), 'published', t, t
        from generate_series(1, ${episodes}) n cross join lateral (select now() - n * interval '1 minute' as t) x;
      insert into public.notifications (user_id, type, category, priority, title, body, link, created_at)
        select md5('user ' || 1 + n % 1000)::uuid, 'chat.message', (enum_range(null::public.notification_category))[1],
          (enum_range(null::public.notification_priority))[1], 'Title ' || n, repeat('words of a body ', 8),
          '/episodes/' || n, now() - n * interval '1 second'
        from generate_series(1, ${notifications}) n;
      do $$ declare d text; begin for d in select definition from dropped loop execute d; end loop; end $$;
      reset session_replication_role`).simple();
    await sql`vacuum analyze public.episodes, public.notifications, public.podcasts, public.profiles`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
