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
create index podcast_import_channels_podcast_id_idx on public.podcast_import_channels (podcast_id);

create table private.import_channels (
  import_id           uuid primary key references public.podcast_imports on delete cascade,
  fields              jsonb not null,  -- as in podcast_import_channels, unmasked
  owner_emails        text[] not null default '{}',  -- the addresses that the rows of the import mask
  confirmed_cover_url text  -- the podcast's cover when the copy of the feed's was requested, which replaces only this
);
comment on table private.import_channels is
  'The owner''s addresses, and the fields of podcast_import_channels with them. finish_staging writes them; '
  'apply_import_channel reads them.';
alter table private.import_channels enable row level security;
-- No policy, no grant.

-- Who
alter table public.podcast_import_channels enable row level security;
create policy admins_read on public.podcast_import_channels for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.podcast_import_channels to authenticated, service_role;
-- No write grants: the import functions write the rows.

-- Always: what admins read shows no address of the feed's owner. The owner is known when the whole feed was read: until
-- then an item whose payload may have an address shows none (stage_import_items).
create function private.import_owner_emails(import_id uuid, import_item_id uuid default null) returns text[]
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce((
    select c.owner_emails from private.import_channels c
    where c.import_id = coalesce(import_owner_emails.import_id, (
      select i.import_id from public.podcast_import_items i where i.id = import_owner_emails.import_item_id))), '{}');
end $$;
comment on function private.import_owner_emails is
  'The addresses that the rows of an import, or of the import of an item, mask.';

create function private.mask_import_channel() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  emails constant text[] := private.import_owner_emails(new.import_id);
begin
  new.fields := private.mask_emails(new.fields, emails);
  new.losses := private.mask_emails(new.losses, emails);
  new.copies := private.mask_emails(new.copies, emails);
  return new;
end $$;
create trigger t100_mask before insert or update on public.podcast_import_channels
  for each row execute function private.mask_import_channel();

create function private.mask_import_item_texts() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  emails constant text[] := private.import_owner_emails(null, new.import_item_id);
begin
  new.losses := private.mask_emails(new.losses, emails);
  new.copies := private.mask_emails(new.copies, emails);
  return new;
end $$;
create trigger t100_mask before update of losses, copies on public.podcast_import_item_texts
  for each row when ((new.losses::text || new.copies::text) ~ '@|%40|&#|&commat;')
  execute function private.mask_import_item_texts();

create function private.mask_import(import_id uuid, emails text[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.import_channels c set owner_emails = array(select unnest(c.owner_emails || emails) group by 1 order by 1)
  where c.import_id = mask_import.import_id;
  update public.podcast_import_channels c set import_id = c.import_id  -- its trigger masks it
  where c.import_id = mask_import.import_id;
  with masked as (
    update public.podcast_import_items i set parsed_payload = m.payload, title = m.payload ->> 'title'
    from private.import_item_originals o
    cross join lateral private.mask_emails(o.payload, private.import_owner_emails(mask_import.import_id)) m (payload)
    where i.import_id = mask_import.import_id and o.import_item_id = i.id
    returning i.id, m.payload
  )
  delete from private.import_item_originals o using masked m where o.import_item_id = m.id and o.payload = m.payload;
end $$;
comment on function private.mask_import is
  'Masks these addresses of the feed''s owner in what admins read of a staged import. Items without one show their '
  'payload as it is.';
