-- Deletes a podcast whose row the caller has locked, and leaves its tombstone.
create function private.delete_podcast_rows(podcast public.podcasts, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into private.podcast_tombstones (slug, podcast_id, redirect_url, deleted_at)
  values (podcast.slug, podcast.id, podcast.deletion_redirect_url, delete_podcast_rows.at);
  delete from public.podcasts p where p.id = podcast.id;
end $$;
comment on function private.delete_podcast_rows is
  'Deletes a locked podcast with all its rows. Its tombstone keeps the slug and the redirect.';
-- No grant: security definer functions and the worker call it.
