-- Show notes: HTML that members write. The worker sanitizes it (functions/show_notes), and public readers get only the
-- sanitized column. Drafts are sanitized too, so that publication never waits.

-- Equals functions/show_notes/version.ts (a test compares both).
create function private.show_notes_version() returns int
language sql immutable parallel safe security invoker set search_path = ''
return 1;
comment on function private.show_notes_version is 'Returns the current version of the show-notes allow-list.';

create function private.show_notes_source(show_notes_html text, description text, summary text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  -- the feed's tags of the description and the summary hold at most 4,000 bytes without HTML
  return case
    when private.has_content(show_notes_html) then show_notes_html
    when private.has_content(description)
      and (private.has_markup(description) or octet_length(description) > 4000) then description
    when private.has_content(summary) and (private.has_markup(summary) or octet_length(summary) > 4000) then summary
  end;
end $$;
comment on function private.show_notes_source is
  'Returns the source of the sanitized show notes: the notes, else a description, else a summary, that exceeds its '
  'tag in the feed.';

-- Always: sanitized notes stay until the worker replaces them, except those whose text was removed from its column.
create function private.reset_show_notes() returns trigger
language plpgsql security definer  -- callers may not execute the helpers
set search_path = ''
as $$
declare
  source     text := private.show_notes_source(new.show_notes_html, new.description, new.summary);
  old_source text;
  is_removed boolean;
begin
  if tg_op = 'INSERT' then
    new.show_notes_safe_html := null;
    new.show_notes_version := case when source is not null then 0 end;
    return new;
  end if;
  old_source := private.show_notes_source(old.show_notes_html, old.description, old.summary);
  -- what waits to be replaced may be of any column
  is_removed := source is null or exists (
    select from (values (old.show_notes_html, new.show_notes_html), (old.description, new.description),
      (old.summary, new.summary)) t (before, after)
    where (t.before = old_source or old.show_notes_version = 0)
      and private.has_content(t.before) and private.has_content(t.after) is not true);
  if is_removed then
    new.show_notes_safe_html := null;
  end if;
  if is_removed or source is distinct from old_source then
    new.show_notes_version := case when source is not null then 0 end;
  end if;
  return new;
end $$;
create trigger t510_reset_show_notes before insert or update of show_notes_html, description, summary on public.episodes
  for each row execute function private.reset_show_notes();

-- After: enqueues one message per podcast and statement, not per episode.
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
  _podcast_id uuid, _version int, published_only boolean default false, max_rows int default 200,
  max_bytes bigint default 1048576)
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
        where x.podcast_id = _podcast_id and x.show_notes_version < _version
          and (not published_only or x.status = 'published')
        order by x.id limit max_rows
      ) e
      cross join lateral private.show_notes_source(e.show_notes_html, e.description, e.summary) chosen
      window by_id as (order by e.id)
    ) s
    where s.n = 1 or s.bytes <= max_bytes
    order by s.n;
end $$;
grant execute on function private.list_stale_show_notes to service_role;
comment on function private.list_stale_show_notes is
  'Lists up to max_rows episodes and max_bytes of notes (at least one episode) that were not sanitized under this '
  'version. Notes are HTML even without a tag; other sources without a tag are plain text.';

create function private.store_show_notes(_version int, notes jsonb) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  stored int;
begin
  with input as (
    select r.episode_id, r.html, r.digest from jsonb_to_recordset(notes) r (episode_id uuid, html text, digest text)
  ), locked as (
    select e.id from public.episodes e join input i on i.episode_id = e.id order by e.id for no key update of e
  )
  update public.episodes e set show_notes_safe_html = i.html, show_notes_version = _version
  from input i join locked l on l.id = i.episode_id
  where e.id = i.episode_id and e.show_notes_version < _version
    and md5(private.show_notes_source(e.show_notes_html, e.description, e.summary)) = i.digest;
  get diagnostics stored = row_count;
  return stored;
end $$;
grant execute on function private.store_show_notes to service_role;
comment on function private.store_show_notes is
  'Stores sanitized notes, [{episode_id, html, digest}], and returns how many. Skips an episode whose source changed '
  'meanwhile: it has a message of its own.';

-- For a new version of the allow-list. The job waits until the queue is empty, and finds each podcast by one index
-- probe. A podcast whose message is in the dead-letter queue is enqueued once a day, so that notes which always fail
-- neither fill that queue nor delay other podcasts.
create function private.enqueue_stale_show_notes(max_podcasts int default 1000, at timestamptz default now())
returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  enqueued int;
  current  int := private.show_notes_version();
  failed   text[] := array(
    select d.message #>> '{message,podcast_id}' from pgmq.q_show_notes_dlq d
    where d.enqueued_at > at - interval '1 day'
      and d.message #>> '{message,podcast_id}' is not null);
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
    from (select s.podcast_id from stale s where s.podcast_id::text <> all (failed) limit max_podcasts) first
  ) due;
  return enqueued;
end $$;
comment on function private.enqueue_stale_show_notes is
  'Enqueues podcasts with notes of an older allow-list, or whose message was lost; those that failed within a day '
  'wait. Cron calls it.';

create function private.public_description(
  description text, summary text, show_notes_safe_html text, subtitle text, max_note_chars int default 10000)
returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  result text;
begin
  foreach result in array array[description, summary] loop
    result := private.plain_text(result);
    if not private.is_blank(result) then
      return result;
    end if;
  end loop;
  -- notes are HTML even without a tag; cut to a description's length, but not inside a tag or reference
  result := left(show_notes_safe_html, max_note_chars + 1);  -- reads only this part of compressed notes
  result := private.plain_text('<p>' || case when char_length(result) <= max_note_chars then result
    else regexp_replace(left(result, max_note_chars), '(?:<[^<>]*|&[^&;]*)?$', '…') end);
  return case when private.is_blank(result) is false then result else coalesce(private.plain_text(subtitle), '') end;
end $$;
comment on function private.public_description is
  'Returns an episode''s public description, as the feed does: the first of description, summary, notes and '
  'subtitle with text. Of notes it reads max_note_chars.';
