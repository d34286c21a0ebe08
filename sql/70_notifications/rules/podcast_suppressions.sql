-- What people said about the emails of one podcast ends with the podcast.
create function private.delete_podcast_suppressions() returns trigger
language plpgsql security definer  -- owners of podcasts may not write suppressions
set search_path = ''
as $$
begin
  delete from private.email_suppressions s where s.podcast_id = old.id;
  return null;
end $$;
create trigger t500_delete_suppressions after delete on public.podcasts
  for each row execute function private.delete_podcast_suppressions();
