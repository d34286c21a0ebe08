-- The refresh of existing episodes: an item whose GUID the podcast has already can give its episode the feed's texts,
-- date and numbers again, never its audio.
create function private.refresh_fields() returns text[]
language sql immutable parallel safe security invoker set search_path = ''
as $$
  -- columns of episodes in camelCase, which private.imported_episode sets
  select array['title', 'itunesTitle', 'summary', 'description', 'showNotesHtml', 'publishedAt', 'seasonNumber',
    'seasonName', 'episodeNumber', 'episodeDisplay', 'episodeType', 'explicit', 'subtitle', 'link']
$$;
comment on function private.refresh_fields is 'The fields that an existing episode can take over from its feed again.';
-- No grant: security definer functions call it.

create function private.list_refreshes(
  import public.podcast_imports, fields text[], _item_ids uuid[] default null,
  after_item public.podcast_import_items default null, max_items int default null, has_values boolean default true,
  at timestamptz default now())
returns table (
  item_id uuid, episode_id uuid, guid text, title text, changed text[], changes jsonb, is_truncated boolean,
  losses jsonb)
language plpgsql stable security invoker set search_path = ''
set enable_seqscan = off  -- as private.episode_guid_exists
set plan_cache_mode = force_custom_plan  -- of one item, some or all
as $$
begin
  return query
    select i.id, e.id, i.guid, e.title, c.changed,
      case when has_values then (  -- JSON of two episodes takes longer than all comparisons
        select jsonb_agg(jsonb_build_object('field', f.name, 'old', v.old -> private.snake_case(f.name),
          'new', v.new -> private.snake_case(f.name)) order by f.n)
        from unnest(c.changed) with ordinality f (name, n), (select to_jsonb(e) as old, to_jsonb(n) as new) v) end,
      made.is_truncated, made.losses
    from public.podcast_import_items i
    join public.podcast_import_item_texts t on t.import_item_id = i.id
    join public.episodes e on e.podcast_id = i.podcast_id and e.guid = i.guid
    join public.podcasts p on p.id = i.podcast_id
    left join private.import_channels h on h.import_id = i.import_id
    cross join lateral private.unmask_import_item(i) u
    cross join lateral private.imported_episode(
      u, t.description, t.content, t.summary, t.subtitle, import, coalesce(import.channel_explicit, p.explicit),
      h.fields ->> 'link') made
    cross join lateral (select (made.episode).*) n
    cross join lateral (
      select array_remove(array[  -- private.refresh_fields()
        case when n.title <> e.title then 'title' end,
        -- a text that the feed has no longer becomes null; a number or a date that it does not have stays
        case when n.itunes_title is distinct from e.itunes_title then 'itunesTitle' end,
        case when n.summary is distinct from e.summary then 'summary' end,
        case when n.description <> e.description then 'description' end,
        case when n.show_notes_html is distinct from e.show_notes_html then 'showNotesHtml' end,
        -- a scheduled episode keeps its date; an estimated date, or a part of a second, is not of the feed
        case when e.status = 'published' and n.published_at <= at
          and date_trunc('second', n.published_at) <> date_trunc('second', e.published_at)
          and not i.warnings @> '[{"code": "DATE_ESTIMATED"}]' then 'publishedAt' end,
        case when coalesce(n.season_number, e.season_number) is distinct from e.season_number then 'seasonNumber' end,
        case when coalesce(n.season_name, e.season_name) is distinct from e.season_name then 'seasonName' end,
        case when coalesce(n.episode_number, e.episode_number) is distinct from e.episode_number
          then 'episodeNumber' end,
        case when coalesce(n.episode_display, e.episode_display) is distinct from e.episode_display
          then 'episodeDisplay' end,
        case when n.episode_type <> e.episode_type then 'episodeType' end,
        case when coalesce(n.explicit, e.explicit) is distinct from e.explicit then 'explicit' end,
        case when n.subtitle is distinct from e.subtitle then 'subtitle' end,
        case when coalesce(n.link, e.link) is distinct from e.link then 'link' end
      ], null) as all_changed
      offset 0) d
    cross join lateral (
      select array(select name from unnest(d.all_changed) name where name = any (list_refreshes.fields)) as changed
      offset 0) c
    where i.import_id = import.id and i.status = 'skipped_duplicate' and e.status <> 'archived'
      and (_item_ids is null or i.id = any (_item_ids))
      and (i.created_at, i.position)
        > (coalesce(after_item.created_at, '-infinity'), coalesce(after_item.position, -1))
      and c.changed <> '{}'
    order by i.created_at, i.position
    limit max_items;
end $$;
comment on function private.list_refreshes is
  'What existing episodes would take over from the duplicates of an import, in feed order, of episodes that are not '
  'archived: the names of the fields that differ, and with has_values each as [{field, old, new}]. is_truncated and '
  'losses: as in imported_episode.';

create function private.losses_of_changes(losses jsonb, changes jsonb) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(l.loss order by l.n), '[]')
  from jsonb_array_elements(losses) with ordinality l (loss, n)
  join (values ('title', 'title'), ('itunes:title', 'itunes_title'), ('itunes:subtitle', 'subtitle'),
    ('itunes:summary', 'summary'), ('description', 'description'), ('content:encoded', 'show_notes_html'),
    ('podcast:season/@name', 'season_name'), ('podcast:episode/@display', 'episode_display')) f (path, field)
    on f.path = l.loss ->> 'path'
  where changes ? f.field
$$;
comment on function private.losses_of_changes is 'The losses that concern columns {column: value} of an episode.';

create function private.lock_refreshed_episode(item public.podcast_import_items) returns void
language plpgsql volatile security invoker set search_path = ''
set enable_seqscan = off  -- as private.episode_guid_exists
as $$
begin
  perform from public.podcasts p where p.id = item.podcast_id for share;
  perform from public.episodes e where e.podcast_id = item.podcast_id and e.guid = item.guid for no key update;
end $$;
comment on function private.lock_refreshed_episode is
  'Locks the podcast and the existing episode of an item, before the item and its import.';

create function private.refresh_imported_episode(item public.podcast_import_items, at timestamptz default now())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  refresh record;
  changes jsonb;
  lost    jsonb;
begin
  select r.* into refresh
  from public.podcast_imports i
  cross join lateral private.list_refreshes(i, item.refresh_fields, array[item.id], at => at) r
  where i.id = item.import_id;
  if not found then
    return;  -- refreshed already, changed since, archived or deleted
  end if;
  select jsonb_object_agg(private.snake_case(c ->> 'field'), c -> 'new') into changes
  from jsonb_array_elements(refresh.changes) c;
  perform private.leave_waking_to_cron(true);  -- cron wakes the worker once for all episodes refreshed meanwhile
  execute (
    select format('update public.episodes e set %s from jsonb_populate_record(null::public.episodes, $1) r '
      'where e.id = $2', string_agg(format('%1$I = r.%1$I', name), ', ' order by name))
    from jsonb_object_keys(changes) name)  -- columns of refresh_fields
  using changes, refresh.episode_id;
  perform private.leave_waking_to_cron(false);
  update public.podcast_import_items i set refreshed_at = at where i.id = item.id;
  lost := private.losses_of_changes(refresh.losses, changes);
  if lost <> '[]' then
    update public.podcast_import_item_texts t set
      losses = private.join_losses(t.losses, private.mask_addresses(lost::text))
    where t.import_item_id = item.id;
    perform private.warn_of_truncation(item.id) where refresh.is_truncated;
  end if;
end $$;
comment on function private.refresh_imported_episode is
  'Gives the existing, locked episode of a closed item the fields that its importer chose. Safe to repeat.';
