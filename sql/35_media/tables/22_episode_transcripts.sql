-- Transcripts: files with the words of an episode, stored by the service or hosted elsewhere, in feed order.
create function private.transcript_types() returns text[]
language sql immutable parallel safe security invoker set search_path = ''
return array['text/vtt', 'application/x-subrip', 'application/json', 'text/html', 'text/plain'];
comment on function private.transcript_types is 'Returns the MIME types of transcripts that the service stores.';
grant execute on function private.transcript_types to authenticated, service_role;  -- a check runs as the writer

create function private.transcript_extension(type text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return (array['vtt', 'srt', 'json', 'html', 'txt'])[array_position(private.transcript_types(), $1)];
comment on function private.transcript_extension is
  'Returns the file extension of a type of transcript that the service stores, or null.';
grant execute on function private.transcript_extension to authenticated;

create function private.normalize_transcript_type(type text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case when lower($1) in ('application/srt', 'application/x-srt', 'text/srt') then 'application/x-subrip'
  else lower($1) end;
comment on function private.normalize_transcript_type is
  'Returns a MIME type in lower case, and application/x-subrip for the other names of SRT.';
grant execute on function private.normalize_transcript_type to authenticated, service_role;

create function private.max_transcripts() returns int
language sql immutable parallel safe security invoker set search_path = ''
return 20;
comment on function private.max_transcripts is 'Returns how many transcripts an episode can have.';

create table public.episode_transcripts (
  id            uuid primary key default gen_random_uuid(),
  episode_id    uuid not null references public.episodes on delete cascade,
  -- Set by a trigger; the policy reads it.
  podcast_id    uuid not null default nullif('', '')::uuid references public.podcasts on delete cascade,
  type          text not null,                           -- MIME type
  language      text,                                    -- BCP 47; null: the podcast's language
  rel           text,                                    -- captions: the file has times; or null
  url           text not null,
  bytes         bigint,                                  -- of a file that the service stores; null: hosted elsewhere
  display_order int not null default nullif('', '')::int,  -- null: a trigger appends it
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  constraint type_is_mime_type check (char_length(type) <= 100 and type ~ '^[a-z]+/[a-z0-9.+-]+$'),
  constraint stored_type_is_known check (bytes is null or type = any (private.transcript_types())),
  constraint language_is_language_tag check (private.is_language_tag(language)),
  constraint rel_is_captions check (rel = 'captions'),
  constraint url_is_http_url check (private.is_http_url(url)),
  constraint bytes_are_positive check (bytes > 0),
  constraint display_order_is_not_negative check (display_order >= 0)
);
comment on table public.episode_transcripts is
  'Transcripts of an episode. Members read them; admins add those hosted elsewhere, change language, rel and order, '
  'and delete them. PUT /api/media/transcript/upload stores files.';
comment on constraint bytes_are_positive on public.episode_transcripts is 'The size must be above 0';
comment on constraint display_order_is_not_negative on public.episode_transcripts is
  'The order of a transcript must be 0 or more';
comment on constraint language_is_language_tag on public.episode_transcripts is
  'The language must be a BCP 47 tag, such as en or de-AT';
comment on constraint rel_is_captions on public.episode_transcripts is 'A transcript can only be marked as captions';
comment on constraint stored_type_is_known on public.episode_transcripts is
  'A stored transcript must be of a known type, such as text/vtt';
comment on constraint type_is_mime_type on public.episode_transcripts is
  'The type must be a media type, such as text/vtt';
comment on constraint url_is_http_url on public.episode_transcripts is 'The URL must be an http or https URL';
create index episode_transcripts_episode_id_idx on public.episode_transcripts (episode_id, display_order, id);
create index episode_transcripts_podcast_id_idx on public.episode_transcripts (podcast_id);

-- Who
alter table public.episode_transcripts enable row level security;
create policy members_read on public.episode_transcripts for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
create policy admins_insert on public.episode_transcripts for insert to authenticated
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_update on public.episode_transcripts for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete on public.episode_transcripts for delete to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.episode_transcripts to authenticated, service_role;
grant insert (episode_id, type, language, rel, url, display_order) on public.episode_transcripts to authenticated;
grant update (language, rel, display_order) on public.episode_transcripts to authenticated;
-- Not granted: bytes, which marks the files of the service; after the insert url and type, which describe the file.

-- Always
create function private.derive_podcast_of_episode() returns trigger
language plpgsql security definer  -- independent of the caller's policies
set search_path = ''
as $$
begin
  select e.podcast_id into new.podcast_id from public.episodes e where e.id = new.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  return new;
end $$;
create trigger t010_derive_podcast before insert or update of episode_id, podcast_id on public.episode_transcripts
  for each row execute function private.derive_podcast_of_episode();
create trigger t050_guard_writer before insert on public.episode_transcripts
  for each row execute function private.guard_admin_writer();

create function private.normalize_episode_transcript() returns trigger
language plpgsql security definer  -- the order is that of all rows
set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  new.type := private.normalize_transcript_type(new.type);
  if new.display_order is null then
    select coalesce(max(t.display_order) + 1, 0) into new.display_order
    from public.episode_transcripts t where t.episode_id = new.episode_id;
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.episode_transcripts
  for each row execute function private.normalize_episode_transcript();

create trigger t300_guard_writable before insert or update or delete on public.episode_transcripts
  for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_writable_podcast();

create trigger t320_guard_count after insert on public.episode_transcripts
  referencing new table as new_rows
  for each statement execute function private.guard_row_count('episode_id', 'private.max_transcripts()',
    'An episode can have at most %s transcripts; delete one first', 'EPISODE_LIST_FULL');
