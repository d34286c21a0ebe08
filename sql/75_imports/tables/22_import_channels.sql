-- The channel of an imported feed, as fields that the podcast can take over on confirmation. The table that admins read
-- masks the owner's addresses; the private copy has them for apply_import_channel. Realtime sends neither.
create table public.podcast_import_channels (
  import_id  uuid primary key references public.podcast_imports on delete cascade,
  podcast_id uuid not null,   -- the import's; the policy reads it
  fields     jsonb not null,  -- {field: value}: what applyChannel may name, in the form of the podcast's columns
  losses     jsonb not null,  -- [{path, reason, excerpt?}]: what the podcast cannot keep
  copies     jsonb not null default '[]',  -- [{path, url}]: files of the channel, copied to our storage
  constraint fields_are_an_object check (jsonb_typeof(fields) = 'object'),
  constraint lists_are_arrays check (jsonb_typeof(losses) = 'array' and jsonb_typeof(copies) = 'array')
);
comment on table public.podcast_import_channels is
  'The channel of an imported feed, the owner''s addresses masked. Admins read it; finish_staging and the worker write '
  'it.';
comment on constraint fields_are_an_object on public.podcast_import_channels is 'The fields must be an object';
comment on constraint lists_are_arrays on public.podcast_import_channels is 'Lists must be arrays';
create index podcast_import_channels_podcast_id_idx on public.podcast_import_channels (podcast_id);

create table private.import_channels (
  import_id uuid primary key references public.podcast_imports on delete cascade,
  fields    jsonb not null,  -- as in podcast_import_channels, with the owner's address
  confirmed_cover_url text   -- the podcast's cover when the copy of the feed's was requested, which replaces only this
);
comment on table private.import_channels is
  'The fields of podcast_import_channels, unmasked. finish_staging writes them; apply_import_channel reads them.';
alter table private.import_channels enable row level security;
-- No policy, no grant.

-- Who
alter table public.podcast_import_channels enable row level security;
create policy admins_read on public.podcast_import_channels for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.podcast_import_channels to authenticated, service_role;
-- No write grants: the import functions write the rows.

-- Always: the report of an item shows no address.
create function private.mask_import_item_texts() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.losses := private.mask_addresses(new.losses::text);
  new.copies := private.mask_addresses(new.copies::text);
  return new;
end $$;
create trigger t100_mask before update of losses, copies on public.podcast_import_item_texts
  for each row when (private.may_have_address(new.losses::text || new.copies::text))
  execute function private.mask_import_item_texts();
