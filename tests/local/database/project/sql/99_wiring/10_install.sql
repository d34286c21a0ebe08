create function private.install() returns void language plpgsql set search_path = '' as $$
begin
  insert into private.settings values ('color', 'green') on conflict do nothing;
  perform pgmq.create('news') where not exists (select from pgmq.meta where queue_name = 'news');
  perform cron.schedule('tidy', '5 4 * * *', 'select 1');
  insert into storage.buckets (id, name, public) values ('covers', 'covers', true) on conflict do nothing;
  if not exists (
    select from pg_catalog.pg_publication_tables where pubname = 'supabase_realtime' and tablename = 'books'
  ) then
    alter publication supabase_realtime add table public.books;
  end if;
  if not exists (
    select from pg_catalog.pg_policies where schemaname = 'storage' and policyname = 'covers_are_read'
  ) then
    create policy covers_are_read on storage.objects for select to authenticated using (bucket_id = 'covers');
  end if;
end $$;
revoke all on function private.install from public;
