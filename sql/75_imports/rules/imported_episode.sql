-- What an episode takes from its feed's item, besides media and the lists of the podcast namespace: for a new episode
-- and for the refresh of an existing one.
create function private.imported_episode(
  item public.podcast_import_items, description text, content text, summary text, subtitle text,
  import public.podcast_imports, default_explicit boolean, channel_link text,
  out episode public.episodes, out is_truncated boolean, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  payload      constant jsonb := item.parsed_payload;
  short_values constant record := private.imported_short_values(payload);
  taken        record;
begin
  taken := private.imported_texts(item, description, content, summary, subtitle);
  is_truncated := taken.is_truncated;
  episode.title := taken.title;
  episode.itunes_title := taken.itunes_title;
  episode.subtitle := taken.subtitle;
  episode.summary := taken.summary;
  episode.description := taken.description;
  episode.link := private.imported_link(
    payload ->> 'link', import.feed_url, payload #>> '{enclosure,url}', channel_link);
  episode.show_notes_html := taken.notes;
  episode.season_number := private.jsonb_to_int(payload -> 'seasonNumber');
  episode.season_name := short_values.accepted ->> 'season_name';
  episode.episode_number := private.jsonb_to_int(payload -> 'episodeNumber');
  episode.episode_display := short_values.accepted ->> 'episode_display';
  episode.episode_type := case when payload ->> 'episodeType' in ('trailer', 'bonus') then payload ->> 'episodeType'
    else 'full' end;
  episode.explicit := case payload -> 'explicit' when 'true' then true when 'false' then false
    else default_explicit end;
  episode.chapters_url := short_values.accepted ->> 'chapters_url';
  episode.license := short_values.accepted ->> 'license';
  episode.license_url := short_values.accepted ->> 'license_url';
  -- private.estimate_dates has dated every item
  episode.published_at := greatest('1970-01-01Z', least('9999-12-31Z',
    coalesce(item.published_at, import.created_at - interval '1 day')));
  losses := short_values.losses || to_jsonb(array(
    select private.loss(t.path, 'TRUNCATED') from unnest(taken.truncated) t (path)));
  -- a GUID that is a link has its own entry
  if episode.link is null and payload ->> 'link' <> item.guid then
    losses := losses || private.loss('link', 'REPLACED_BY_OURS', payload ->> 'link');
  end if;
end $$;
comment on function private.imported_episode is
  'The texts, addresses, numbers and date of an item as its episode has them, and what they lose [{path, reason, '
  'excerpt?}]; other columns are null. is_truncated: as in imported_texts. published_at may be in the future.';

create function private.warn_of_truncation(_import_item_id uuid) returns void
language sql volatile security invoker set search_path = ''
as $$
  select private.add_import_item_warnings(
    _import_item_id, '[{"code": "TEXT_TRUNCATED", "message": "A text was too long and was truncated"}]')
$$;
comment on function private.warn_of_truncation is 'Adds TEXT_TRUNCATED to an item.';
