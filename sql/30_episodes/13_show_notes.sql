-- Show notes: HTML that people write. The worker sanitizes it (functions/show_notes); feeds, /v1, pages and
-- public functions read only the sanitized column. Drafts are sanitized as well, so publication never waits for it.

-- Raise it together with functions/show_notes/version.ts (a test compares both).
create function private.show_notes_version() returns int
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return 1;
end $$;
comment on function private.show_notes_version is 'The current version of the allow-list of show notes.';

create function private.show_notes_source(show_notes_html text, description text, summary text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  -- the feed's description tag carries neither HTML nor more than 4,000 bytes, nor the description beside a summary
  return case
    when private.has_content(show_notes_html) then show_notes_html
    when private.has_content(description)
      and (private.has_markup(description) or octet_length(description) > 4000 or private.has_content(summary)) then description
    when private.has_content(summary) and (private.has_markup(summary) or octet_length(summary) > 4000) then summary
  end;
end $$;
comment on function private.show_notes_source is
  'The text that the show notes are made from: the notes, else a description, else a summary, that the feed''s description tag cannot carry whole.';

-- Always
create function private.reset_show_notes() returns trigger
language plpgsql security definer  -- callers may not execute the helpers
set search_path = ''
as $$
declare
  source text := private.show_notes_source(new.show_notes_html, new.description, new.summary);
begin
  if tg_op = 'INSERT' or source is distinct from private.show_notes_source(old.show_notes_html, old.description, old.summary) then
    new.show_notes_safe_html := null;
    new.show_notes_version := case when source is not null then 0 end;
  end if;
  return new;
end $$;
create trigger t510_reset_show_notes before insert or update of show_notes_html, description, summary on public.episodes
  for each row execute function private.reset_show_notes();

-- After: one message per podcast and statement, however many episodes an import or a client writes.
create function private.announce_show_notes() returns trigger
language plpgsql security definer  -- callers have no grant on the queue
set search_path = ''
as $$
begin
  perform private.enqueue('show_notes', jsonb_build_object('podcast_id', c.podcast_id))
  from (select distinct r.podcast_id from changed_rows r where r.show_notes_version = 0) c;
  return null;
end $$;
create trigger t900_announce_show_notes_insert after insert on public.episodes
  referencing new table as changed_rows for each statement execute function private.announce_show_notes();
create trigger t900_announce_show_notes_update after update on public.episodes
  referencing new table as changed_rows for each statement execute function private.announce_show_notes();

create function private.list_stale_show_notes(
  podcast_id uuid, version int, published_only boolean default false, max_rows int default 200, max_bytes bigint default 1048576)
returns table (episode_id uuid, source text, is_html boolean, digest text)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
    select s.id, s.chosen, s.chosen = s.show_notes_html or private.has_markup(s.chosen), md5(s.chosen)
    from (
      select e.id, coalesce(e.show_notes_html, '') as show_notes_html, chosen,
        row_number() over by_id as n, sum(octet_length(chosen)) over by_id as bytes
      from (
        select x.* from public.episodes x
        where x.podcast_id = list_stale_show_notes.podcast_id and x.show_notes_version < list_stale_show_notes.version
          and (not published_only or x.status = 'published')
        order by x.id limit max_rows
      ) e
      cross join lateral private.show_notes_source(e.show_notes_html, e.description, e.summary) chosen
      window by_id as (order by e.id)
    ) s
    where s.n = 1 or s.bytes <= max_bytes
    order by s.n;
end $$;
comment on function private.list_stale_show_notes is
  'Up to max_rows episodes and max_bytes of notes (always one episode) that an allow-list of this version has not sanitized yet. Notes are HTML even without a tag; other sources without one are plain text.';

create function private.store_show_notes(version int, notes jsonb, renders_feed boolean default false) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  stored int;
begin
  perform set_config('castbase.renders_feed', case when renders_feed then 'yes' else '' end, true);
  with given as (
    select r.episode_id, r.html, r.digest from jsonb_to_recordset(notes) r (episode_id uuid, html text, digest text)
  ), locked as (
    select e.id from public.episodes e join given g on g.episode_id = e.id order by e.id for no key update of e
  )
  update public.episodes e set show_notes_safe_html = g.html, show_notes_version = store_show_notes.version
  from given g join locked l on l.id = g.episode_id
  where e.id = g.episode_id and e.show_notes_version < store_show_notes.version
    and md5(private.show_notes_source(e.show_notes_html, e.description, e.summary)) = g.digest;
  get diagnostics stored = row_count;
  perform set_config('castbase.renders_feed', '', true);
  return stored;
end $$;
comment on function private.store_show_notes is
  'Stores sanitized notes, [{episode_id, html, digest}]. Skips an episode whose source changed meanwhile: it has a message of its own. The feed renderer, which reads the notes next, needs no feed invalidation (renders_feed).';

-- After a new version of the allow-list. A sweep waits until the one before is done, so the queue stays short, and finds
-- each podcast by one probe of the index, however many episodes it has. A podcast whose message was parked is enqueued once
-- a day, so that notes which always fail neither fill the dead-letter queue nor hold up the other podcasts.
create function private.enqueue_stale_show_notes(max_podcasts int default 1000, at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  enqueued int;
  current  int := private.show_notes_version();
  parked   text[] := array(
    select d.message #>> '{message,podcast_id}' from pgmq.q_show_notes_dlq d
    where d.enqueued_at > enqueue_stale_show_notes.at - interval '1 day' and d.message #>> '{message,podcast_id}' is not null);
begin
  if (select m.queue_length from pgmq.metrics('show_notes') m) > 0 then
    return 0;
  end if;
  with recursive stale (version, podcast_id) as (
    (select e.show_notes_version, e.podcast_id from public.episodes e
     where e.show_notes_version < current order by e.show_notes_version, e.podcast_id limit 1)
    union all
    select next.* from stale s cross join lateral (
      select e.show_notes_version, e.podcast_id from public.episodes e
      where e.show_notes_version < current and (e.show_notes_version, e.podcast_id) > (s.version, s.podcast_id)
      order by e.show_notes_version, e.podcast_id limit 1) next
  )
  select count(private.enqueue('show_notes', jsonb_build_object('podcast_id', due.podcast_id))) into enqueued
  from (
    select distinct first.podcast_id
    from (select s.podcast_id from stale s where s.podcast_id::text <> all (parked) limit max_podcasts) first
  ) due;
  return enqueued;
end $$;
comment on function private.enqueue_stale_show_notes is
  'Enqueues podcasts whose notes an older allow-list sanitized, or that lost their message; those parked within a day wait. Called by cron.';

create function private.public_description(summary text, description text, show_notes_safe_html text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  words text;
begin
  foreach words in array array[summary, description] loop
    words := private.plain_text(words);
    if not private.is_blank(words) then
      return words;
    end if;
  end loop;
  -- notes are HTML even without a tag; no more of them than a description may have, and no half of a tag or reference
  words := private.plain_text('<p>' || case when char_length(show_notes_safe_html) <= 10000 then show_notes_safe_html
    else regexp_replace(left(show_notes_safe_html, 10000), '(?:<[^<>]*|&[^&;]*)?$', '…') end);
  return case when private.is_blank(words) is false then words else '' end;
end $$;
comment on function private.public_description is
  'The description of an episode for those outside of the team, by the feed''s rule: summary, description, or the words of the notes, the first that has some.';
