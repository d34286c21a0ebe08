-- Digests: when each user who chose one gets the next. A job writes them from what is unread then, so that a fan-out
-- does not lock a row per reader.
create table private.digests (
  user_id   uuid primary key references public.profiles on delete cascade,
  chosen_at timestamptz not null,  -- what came before had emails of its own
  next_at   timestamptz not null
);
comment on table private.digests is
  'The next digest of users who chose one, or who turned it off and get what had waited. send_due_digests deletes the '
  'row then.';
create index digests_next_at_idx on private.digests (next_at);
alter table private.digests enable row level security;
-- No policy, no grant.

create function private.next_digest_at(
  preferences public.notification_preferences, timezone text, after timestamptz) returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select min(c.at)
  from generate_series(0, 8) n
  cross join lateral (
    select ($3 at time zone private.timezone_or_utc($2))::date + n as day) d
  cross join lateral (
    select private.wall_time_to_instant(d.day + make_interval(hours => $1.digest_hour),
      private.timezone_or_utc($2)) as at) c
  where c.at > $3 and ($1.digest_frequency = 'daily' or extract(isodow from d.day) = $1.digest_weekday)
$$;
comment on function private.next_digest_at is 'When a user who chose a digest gets the next one after a time.';

create function private.plan_digest() returns trigger
language plpgsql security definer  -- users may not write digests
set search_path = ''
as $$
declare
  preferences public.notification_preferences;
  reader      public.profiles;
begin
  select * into preferences from public.notification_preferences p
  where p.user_id = (to_jsonb(new) ->> tg_argv[0])::uuid;
  select * into reader from public.profiles f where f.id = preferences.user_id;
  if preferences.digest_frequency = 'off' then
    update private.digests d set next_at = now() where d.user_id = preferences.user_id;
  elsif preferences.user_id is not null then
    insert into private.digests as d (user_id, chosen_at, next_at)
    values (preferences.user_id, now(), private.next_digest_at(preferences, reader.timezone, now()))
    on conflict on constraint digests_pkey do update set next_at = excluded.next_at;
  end if;
  return null;
end $$;
comment on function private.plan_digest is
  'Trigger: plans the next digest of a user. The argument is the column of the user. Without a digest, what waits is '
  'sent now.';

-- Its own emails can be unsubscribed; who chooses a digest again wants them.
create function private.turn_on_digest() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.email_digest := true;
  return new;
end $$;
create trigger t200_turn_on_digest before update on public.notification_preferences
  for each row when (old.digest_frequency <> new.digest_frequency and new.digest_frequency <> 'off'
    and new.email_digest = old.email_digest)
  execute function private.turn_on_digest();
create trigger t500_plan_digest
  after update of digest_frequency, digest_hour, digest_weekday on public.notification_preferences
  for each row when (old.digest_frequency <> new.digest_frequency or old.digest_hour <> new.digest_hour
    or old.digest_weekday <> new.digest_weekday)
  execute function private.plan_digest('user_id');
create trigger t500_plan_digest after update of timezone on public.profiles
  for each row when (old.timezone is distinct from new.timezone) execute function private.plan_digest('id');
