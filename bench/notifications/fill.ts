// Notifications for benchmarks, written set-based: indexes and triggers are added afterwards.
import type postgres from "postgres";

export const CATEGORIES = ["episode", "collaboration", "team", "booking", "system"];
export const PRIORITIES = ["low", "normal", "immediate"];
const USERS = 5_000;

/** md5('u1') and md5('u2') as UUIDs: the user with most notifications, and one of the others. */
export const HEAVY_USER = "e4774cdd-a079-3f86-414e-8b9140bb6db4", USER = "270c1b08-4f3f-146e-b578-7075158d9c53";

/** A third each is unread, read and archived; one of 100 is due tomorrow. */
export async function fillInbox(admin: postgres.Sql, rows: number, heavyRows = 100_000) {
  await admin.unsafe(`
    set session_replication_role = replica;
    insert into auth.users (id, email, email_confirmed_at)
      select md5('u' || n)::uuid, n || '@bench.test', now() from generate_series(1, ${USERS}) n;
    insert into public.profiles (id) select id from auth.users;
    create temp table dropped as
      select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i where i.indrelid = 'public.notifications'::regclass and not i.indisprimary;
    do $$ declare d text; begin for d in select name from dropped loop execute 'drop index ' || d; end loop; end $$;
    insert into public.notifications (user_id, type, category, priority, title, body, link, metadata, group_key,
      scheduled_for, read_at, archived_at, created_at)
    select md5('u' || case when n <= ${heavyRows} then 1 else 2 + n % ${USERS - 1} end)::uuid,
      'chat.message', c[1 + n % 5], p[1 + n / 5 % 3],
      'Title of notification ' || n, repeat('words of a body ', 8), '/episodes/' || md5((n % 1000)::text)::uuid,
      jsonb_build_object('podcast_id', md5(n::text)::uuid, 'episode_id', md5((n % 1000)::text)::uuid),
      'episode:' || md5((n % 1000)::text)::uuid || ':chat',
      case when h % 100 = 0 then now() + interval '1 day' end,
      case when h % 3 > 0 then now() end, case when h % 3 = 2 then now() end, now() - n * interval '1 second'
    from generate_series(1, ${rows}) n
    cross join lateral (select abs(hashint4(n)) as h) x
    cross join (select enum_range(null::public.notification_category) as c,
      enum_range(null::public.notification_priority) as p) e;
    insert into private.notification_keys (dedupe_key, recipient_id, notification_id)
    select 'message:' || (metadata ->> 'podcast_id'), user_id, id from public.notifications;
    do $$ declare d text; begin for d in select definition from dropped loop execute d; end loop; end $$;
    insert into private.notification_counts (user_id, category, inbox, unread, needs_attention, archived)
      select f.id, c, count(n.id) - count(n.archived_at), count(n.id) - count(n.read_at),
        count(n.id) filter (where n.read_at is null and n.priority = 'immediate'), count(n.archived_at)
      from public.profiles f cross join unnest(enum_range(null::public.notification_category)) c
      left join public.notifications n on n.user_id = f.id and n.category = c
      group by 1, 2;
    reset session_replication_role;
  `).simple();
  await admin.unsafe("vacuum analyze public.notifications, private.notification_counts, public.profiles").simple();
}
