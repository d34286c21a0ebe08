-- The search within a podcast: the words of each published episode.
create table private.episode_search (
  episode_id   uuid primary key references public.episodes on delete cascade,
  podcast_id   uuid not null,         -- of the episode, which never changes it
  published_at timestamptz not null,  -- of the episode: results are newest first
  dictionary   text not null,         -- of the podcast's language; empty: the words are stale
  words        tsvector not null      -- of what /v1 shows (private.index_episodes), with the podcast in each lexeme
);
comment on table private.episode_search is 'Words of published episodes. list_public_episodes searches them.';
-- Without a list of pending entries, which each search would read as a whole, with the entries of all podcasts
create index episode_search_words_idx on private.episode_search using gin (words) with (fastupdate = off);
alter table private.episode_search enable row level security;
-- No policy, no grant.

create function private.index_episodes(episode_ids uuid[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  delete from private.episode_search s using public.episodes e
  where s.episode_id = any (episode_ids) and e.id = s.episode_id and e.status <> 'published';
  insert into private.episode_search as s (episode_id, podcast_id, published_at, dictionary, words)
  select e.id, e.podcast_id, e.published_at, d.dictionary, private.search_vector(e.podcast_id, d.dictionary,
    concat_ws(E'\n', e.title, private.public_description(e.description, e.summary, e.show_notes_safe_html, e.subtitle),
      -- notes are HTML even without a tag; a cut must not leave a half tag
      private.plain_text('<p>' || regexp_replace(left(e.show_notes_safe_html, 200000), '<[^<>]*$', ''))))
  from public.episodes e
  join public.podcasts p on p.id = e.podcast_id
  cross join lateral private.search_dictionary(p.language) d (dictionary)
  where e.id = any (episode_ids) and e.status = 'published'
  order by e.id
  on conflict (episode_id) do update
    set published_at = excluded.published_at, dictionary = excluded.dictionary, words = excluded.words;
end $$;
comment on function private.index_episodes is
  'Writes the words of the published ones among these episodes, and removes those of the others. Searches find the '
  'title, the public description and the first 200,000 characters of the sanitized notes: nothing that /v1 hides.';

-- After: words take milliseconds per episode, so that a statement of many rows leaves them to the worker. Until then
-- searches find the words before.
create function private.index_or_announce(ids uuid[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if cardinality(ids) <= 20 then
    perform private.index_episodes(ids);
    return;
  end if;
  delete from private.episode_search s using public.episodes e
  where s.episode_id = any (ids) and e.id = s.episode_id and e.status <> 'published';
  update private.episode_search s set dictionary = '' where s.episode_id = any (ids);
  perform private.enqueue('episode_search', jsonb_build_object('podcast_id', p.podcast_id))
  from (select distinct e.podcast_id from public.episodes e where e.id = any (ids) and e.status = 'published') p;
end $$;
comment on function private.index_or_announce is
  'Writes the words of up to 20 episodes, and marks those of more as stale (without a dictionary) and enqueues their '
  'podcasts.';

create function private.index_changed_episodes() returns trigger
language plpgsql security definer  -- callers may not write private.episode_search
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.index_or_announce(array_agg(n.id)) from new_rows n where n.status = 'published'
    having count(*) > 0;
    return null;
  end if;
  perform private.index_or_announce(array_agg(n.id)) from new_rows n join old_rows o on o.id = n.id
  where 'published' in (o.status, n.status) and (
    (o.status, o.title, o.description, o.summary, o.subtitle) is distinct from
      (n.status, n.title, n.description, n.summary, n.subtitle)
    or o.show_notes_safe_html is distinct from n.show_notes_safe_html)
  having count(*) > 0;
  update private.episode_search s set published_at = n.published_at from new_rows n
  where s.episode_id = n.id and n.status = 'published' and s.published_at <> n.published_at;
  return null;
end $$;
create trigger t500_index_insert after insert on public.episodes
  referencing new table as new_rows for each statement execute function private.index_changed_episodes();
create trigger t500_index_update after update on public.episodes
  referencing old table as old_rows new table as new_rows for each statement
  execute function private.index_changed_episodes();

-- Another language has other stems. The worker writes them, because a podcast can have many episodes.
create function private.announce_search_language() returns trigger
language plpgsql security definer  -- callers have no grant on the queue
set search_path = ''
as $$
begin
  perform private.enqueue('episode_search', jsonb_build_object('podcast_id', new.id));
  return null;
end $$;
create trigger t900_announce_search_language after update of language on public.podcasts
  for each row when (old.language is distinct from new.language) execute function private.announce_search_language();
