-- What an episode takes from its feed's item, besides media and the lists of the podcast namespace: for a new episode
-- and for the refresh of an existing one.
create function private.imported_episode(
  item public.podcast_import_items, texts public.podcast_import_item_texts, import public.podcast_imports,
  default_explicit boolean, channel_link text, out episode public.episodes, out truncated text[], out is_truncated boolean)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  payload constant jsonb := item.parsed_payload;
  taken   record;
begin
  taken := private.imported_texts(item, texts.description, texts.content, texts.summary, texts.subtitle);
  truncated := taken.truncated;
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
  episode.season_name := left(payload ->> 'seasonName', 128);
  episode.episode_number := private.jsonb_to_int(payload -> 'episodeNumber');
  episode.episode_display := left(payload ->> 'episodeDisplay', 32);
  episode.episode_type := case when payload ->> 'episodeType' in ('trailer', 'bonus') then payload ->> 'episodeType'
    else 'full' end;
  episode.explicit := case payload -> 'explicit' when 'true' then true when 'false' then false
    else default_explicit end;
  -- private.estimate_dates has dated every item
  episode.published_at := greatest('1970-01-01Z', least('9999-12-31Z',
    coalesce(item.published_at, import.created_at - interval '1 day')));
end $$;
comment on function private.imported_episode is
  'The texts, link, numbers and date of an item as its episode has them; other columns are null. truncated and is_truncated: '
  'as in imported_texts. published_at may be in the future.';
