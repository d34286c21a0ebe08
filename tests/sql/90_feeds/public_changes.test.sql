-- Public changes: which rows and columns announce a change to the feed and to the CDN.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.published_episode('pilot', 'show'), tests.episode('draft', 'show'),
  tests.podcast('elsewhere', 'ola', 'external'), tests.episode('linked', 'elsewhere');
update public.episodes set status = 'published' where id = tests.id('linked');
select private.set_setting('cdn_purge_url', 'https://cdn.test/purge');

-- What the statement enqueues: "type type | key", with the titles of the podcasts
create function pg_temp.announced_by(statement text) returns text language plpgsql as $$
declare
  title_of jsonb := (select jsonb_object_agg(private.surrogate_key(p.slug), p.title) from public.podcasts p);
begin
  perform tests.empty_queue('feed_invalidation'), tests.empty_queue('cdn_purge');
  execute statement;
  return format('%s | %s',
    (select string_agg(q ->> 'type', ' ' order by q ->> 'type') from tests.queued('feed_invalidation') q),
    (select string_agg(coalesce(title_of ->> (q ->> 'key'), 'new'), ' ') from tests.queued('cdn_purge') q));
end $$;

select is(pg_temp.announced_by(format(statement, tests.id(subject), tests.id(podcast))), expected,
  format('%s of %s announces %s', title, subject, expected))
from (values
  ('show', 'show', 'an update', 'update public.podcasts set author = concat(author, 1) where id = %L',
    'podcast.updated | show'),
  ('elsewhere', 'elsewhere', 'an update', 'update public.podcasts set author = concat(author, 1) where id = %L',
    ' | elsewhere'),
  ('show', 'show', 'an update without a change', 'update public.podcasts set author = author where id = %L', ' | show'),
  ('show', 'show', 'an inserted podcast beside that',
    $$ insert into public.podcasts (owner_id, title) select owner_id, 'n' from public.podcasts where id = %L $$,
    'podcast.created | '),
  ('elsewhere', 'elsewhere', 'an inserted external podcast beside that', $$ insert into public.podcasts
    (owner_id, title, hosting_type) select owner_id, 'n', 'external' from public.podcasts where id = %L $$, ' | '),
  ('pilot', 'show', 'an update', $$ update public.episodes set title = title || 1 where id = %L $$,
    'episode.updated | show'),
  ('pilot', 'show', 'an update without a change', $$ update public.episodes set title = title where id = %L $$,
    ' | show'),
  ('draft', 'show', 'an update', $$ update public.episodes set title = title || 1 where id = %L $$, ' | '),
  ('linked', 'elsewhere', 'an update', $$ update public.episodes set title = title || 1 where id = %L $$,
    ' | elsewhere'),
  ('pilot', 'show', 'unpublishing', $$ update public.episodes set status = 'draft' where id = %L $$,
    'episode.unpublished | show'),
  ('pilot', 'show', 'publishing', $$ update public.episodes set status = 'published' where id = %L $$,
    'episode.published | show'),
  ('show', 'show', 'an update of all episodes',
    $$ update public.episodes set title = title || 1 where podcast_id = %L $$, 'episode.updated | show'),
  ('show', 'show', 'an inserted published episode', $$ insert into public.episodes
    (podcast_id, title, status, audio_url, audio_content_type, audio_file_size_bytes)
    values (%L, 'Direct', 'published', 'https://x.test/a.mp3', 'audio/mpeg', 9) $$, 'episode.published | show'),
  ('show', 'show', 'a deleted published episode',
    $$ delete from public.episodes where title = 'Direct' and podcast_id = %L $$, 'episode.unpublished | show'),
  ('show', 'show', 'inserted credits', $$ insert into public.podcast_credits (podcast_id, name, role_label,
    display_order) select %L, 'Eve', 'Host', n from generate_series(0, 1) n $$, 'podcast.credits.updated | show'),
  ('show', 'show', 'updated credits', $$ update public.podcast_credits set name = 'Eva' where podcast_id = %L $$,
    'podcast.credits.updated | show'),
  ('show', 'show', 'deleted credits', $$ delete from public.podcast_credits where podcast_id = %L $$,
    'podcast.credits.updated | show'),
  ('elsewhere', 'elsewhere', 'an inserted credit', $$ insert into public.podcast_credits (podcast_id, name, role_label,
    display_order) values (%L, 'Eve', 'Host', 0) $$, ' | elsewhere')
) v (subject, podcast, title, statement, expected);

select is(pg_temp.announced_by(format(statement, tests.id(episode))),
  case when rows = 'credits'
    then 'episode.credits.updated | '
      || case episode when 'pilot' then 'show' when 'linked' then 'elsewhere' else '' end
    else case episode when 'pilot' then 'episode.updated | show' when 'linked' then ' | elsewhere' else ' | ' end end,
  format('%s %s of %s', verb, rows, episode))
from unnest(array['pilot', 'draft', 'linked']) episode, (values
  ('transcripts', 'inserted', $$ insert into public.episode_transcripts (episode_id, type, url)
    select %L, 'text/vtt', 'https://x.test/' || n from generate_series(1, 2) n $$),
  ('transcripts', 'updated', $$ update public.episode_transcripts set language = 'de' where episode_id = %L $$),
  ('transcripts', 'deleted', $$ delete from public.episode_transcripts where episode_id = %L $$),
  ('chapters', 'inserted', $$ insert into public.episode_chapters (episode_id, start_seconds, title)
    select %L, n, 'x' from generate_series(1, 2) n $$),
  ('chapters', 'updated', $$ update public.episode_chapters set title = 'y' where episode_id = %L $$),
  ('chapters', 'deleted', $$ delete from public.episode_chapters where episode_id = %L $$),
  ('credits', 'inserted', $$ insert into public.episode_credits (episode_id, name, role_label, display_order)
    select %L, 'Eve', 'Host', n from generate_series(0, 1) n $$),
  ('credits', 'updated', $$ update public.episode_credits set name = 'Eva' where episode_id = %L $$),
  ('credits', 'deleted', $$ delete from public.episode_credits where episode_id = %L $$)
) v (rows, verb, statement);

-- Each column alone, without guards and constraints
do $$
declare
  name text;
begin
  for name in
    select format('alter table %s disable trigger %I', t.tgrelid::regclass, t.tgname) from pg_trigger t
    where t.tgrelid in ('public.podcasts'::regclass, 'public.episodes'::regclass) and not t.tgisinternal
      and not exists (
        select from pg_proc p where p.oid = t.tgfoid and p.prosrc ~ 'invalidate_feed|announce_public_change|cdn_purge')
    union all
    select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) from pg_constraint c
    where c.conrelid in ('public.podcasts'::regclass, 'public.episodes'::regclass) and c.contype in ('c', 'f')
  loop
    execute name;
  end loop;
end $$;
create function pg_temp.other_value(column_name text, type text) returns text language sql as $$
  select case
    when type = 'text' then format('coalesce(%I, '''') || ''x''', column_name)
    when type = 'jsonb' then format('coalesce(%I, ''[]'') || ''[1]''', column_name)
    when type = 'boolean' then format('not coalesce(%I, true)', column_name)
    when type = 'uuid' then 'gen_random_uuid()'
    when type = 'timestamp with time zone' then $v$now() + interval '1 hour'$v$
    when type in ('integer', 'bigint') then format('coalesce(%I, 0) + 1', column_name)
    else format('(enum_range(null::%s))[array_position(enum_range(null::%1$s), %I) %% 2 + 1]', type, column_name) end
$$;
create function pg_temp.columns_announced(changed regclass, id uuid) returns table (name text, announced text)
language plpgsql as $$
declare
  old_row record;
begin
  for name, announced in
    select a.attname, pg_temp.other_value(a.attname, format_type(a.atttypid, null))
    from pg_attribute a
    where a.attrelid = changed and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.attname not in ('id', 'podcast_id')
  loop
    begin
      announced := pg_temp.announced_by(format('update %s set %I = %s where id = %L', changed, name, announced, id));
      raise sqlstate 'XX001';
    exception when sqlstate 'XX001' then  -- rolls back
      return next;
    end;
  end loop;
end $$;
create temp table podcast_columns as select * from pg_temp.columns_announced('public.podcasts', tests.id('show'));
create temp table episode_columns as select * from pg_temp.columns_announced('public.episodes', tests.id('pilot'));
select set_eq($$ select name from podcast_columns where announced !~ '^podcast.updated' $$,
  array['owner_id', 'status', 'paused_at', 'pause_expires_at', 'last_pause_ended_at', 'deletion_requested_at',
    'deletion_scheduled_at', 'header_image_url', 'banner_image_url', 'profile_image_url', 'created_at', 'updated_at',
    'hosting_type', 'directory_links', 'deletion_redirect_url', 'feed_redirect_url'],
  -- private.feed_redirects announces its changes
  'columns of podcasts that announce no change of the feed');
select set_eq($$ select name from podcast_columns where announced !~ '\| (show|new)$' $$, '{}'::text[],
  'each column of podcasts announces a change to the CDN');
select set_eq($$ select name from episode_columns where announced !~ '^episode.' $$,
  array['show_notes_html', 'origin', 'scheduled_at', 'first_published_at', 'created_by', 'created_at', 'updated_at'],
  'columns of published episodes that announce no change of the feed');
select set_eq($$ select name from episode_columns where announced !~ '\| show$' $$, '{}'::text[],
  'each column of published episodes announces a change to the CDN');

select * from tests.finish();
rollback;
