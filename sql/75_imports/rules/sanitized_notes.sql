-- The allow-list of show notes removes tags and attributes of a feed's texts. The report says how many, when the worker
-- has sanitized the notes for the first time; what a podcaster writes later is not of the feed.
create function private.count_markup(html text, out tags int, out attributes int)
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select regexp_count($1, '<[a-z]', 1, 'i'),
    -- the worker writes a rel of its own
    regexp_count($1, '[[:space:]][a-z][a-z0-9:-]*[[:space:]]?=', 1, 'i')
      - regexp_count($1, 'rel="noopener nofollow ugc"')
$$;
comment on function private.count_markup is 'How many tags, and attributes of the author, an HTML text has.';

create function private.report_sanitized_notes() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  source     constant text := private.show_notes_source(new.show_notes_html, new.description, new.summary);
  feed       record := private.count_markup(source);
  ours       record := private.count_markup(coalesce(new.show_notes_safe_html, ''));
  tags       constant int := greatest(0, feed.tags - ours.tags);
  attributes constant int := greatest(0, feed.attributes - ours.attributes);
begin
  if tags + attributes > 0 then
    update public.podcast_import_item_texts t set losses = t.losses || jsonb_build_array(jsonb_build_object(
      'path', case source when t.content then 'content:encoded' when t.description then 'description'
        else 'itunes:summary' end,
      'reason', 'SANITIZED', 'excerpt', format('%s tags and %s attributes were removed', tags, attributes)))
    where t.import_item_id = new.id and source in (t.content, t.description, t.summary)
      and not t.losses @> '[{"reason": "SANITIZED"}]';
  end if;
  return null;
end $$;
create trigger t500_report_sanitized_notes after update of show_notes_safe_html on public.episodes
  for each row when (new.origin = 'import' and old.show_notes_version = 0 and new.show_notes_version > 0)
  execute function private.report_sanitized_notes();
