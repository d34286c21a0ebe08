-- Policies, guards and derived values of podcasts.
-- Who
alter table public.podcasts enable row level security;
-- checks owner_id too, because INSERT … RETURNING is checked before the owner's membership exists
create policy members_read on public.podcasts for select to authenticated
  using (owner_id = (select auth.uid()) and not is_being_deleted
    or id = any ((select private.my_podcasts('member'))::uuid[]));
create policy users_create on public.podcasts for insert to authenticated
  with check (owner_id = (select auth.uid()));
create policy admins_update on public.podcasts for update to authenticated
  using (id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.podcasts to authenticated;
grant insert (slug, title, description, language, author, owner_name, owner_email, show_owner_email, categories,
    explicit, type, copyright, link, medium, funding, is_complete, is_blocked, locked, verify_texts, apple_verify_token,
    ai_disclosure, hosting_type, cover_image_url, header_image_url, banner_image_url, profile_image_url, license,
    license_url, locations, update_frequency, podroll, remote_items, publisher, directory_blocks, directory_links,
    images, social_interactions, value_blocks, keywords, tags, feed_page_size)
  on public.podcasts to authenticated;
grant update (title, description, language, author, owner_name, owner_email, show_owner_email, categories, explicit,
    type, copyright, link, medium, funding, is_complete, is_blocked, locked, verify_texts, apple_verify_token,
    ai_disclosure, cover_image_url, header_image_url, banner_image_url, profile_image_url, license, license_url,
    locations, update_frequency, podroll, remote_items, publisher, directory_blocks, directory_links, images,
    social_interactions, value_blocks, keywords, tags, feed_page_size)
  on public.podcasts to authenticated;
grant select, insert, update on public.podcasts to service_role;
-- Not granted: id (a public id must never belong to another podcast), owner_id (only transfers change it), status, its
-- times and delete (lifecycle functions), podcast_guid (derived or adopted), slug and hosting_type after the insert,
-- extra_tags (verbatim XML, which only an import makes well-formed).

-- Always
create function private.normalize_podcast() returns trigger
language plpgsql security definer  -- callers may not write private.podcast_slugs
set search_path = ''
as $$
declare
  new_slug text;
begin
  new.updated_at := clock_timestamp();
  new.title := private.normalize_line(new.title);
  new.author := private.normalize_line(new.author);
  new.owner_name := private.normalize_line(new.owner_name);
  new.owner_email := private.normalize_line(new.owner_email);
  new.copyright := private.normalize_line(new.copyright);
  new.apple_verify_token := private.normalize_line(new.apple_verify_token);
  new.license := private.normalize_line(new.license);
  if tg_op = 'INSERT' then
    -- serializes inserts with the same slug, so that the second sees the first
    new_slug := private.slugify(coalesce(new.slug, new.title), case when new.slug is null then 'podcast' end);
    if new_slug is null then
      raise sqlstate 'PT400' using message = 'A slug must contain at least one letter or digit';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('podcast-slug/' || new_slug, 0));
    if new.slug is not null then
      new.slug := new_slug;
    else
      new.slug := private.next_available_slug(new_slug, array(
        select s.slug from private.podcast_slugs s
        where s.slug = new_slug or (s.slug > new_slug || '-' and s.slug < new_slug || '.')));  -- '.' sorts after '-'
    end if;
    insert into private.podcast_slugs (slug, podcast_id) values (new.slug, new.id);
    -- https://github.com/Podcastindex-org/podcast-namespace, guid: UUIDv5 of the feed URL without scheme and trailing
    -- slashes
    new.podcast_guid := coalesce(new.podcast_guid, extensions.uuid_generate_v5(
      'ead4c236-bf58-58c6-a2c6-a6b28d128cb6', regexp_replace(private.feed_url(new.slug), '^[a-z]+://|/+$', '', 'g')));
  end if;
  return new;
exception when unique_violation then
  raise sqlstate 'PT409' using message = format('Slug %L is already in use (or was used before)', new.slug),
    hint = 'SLUG_TAKEN';
end $$;
create trigger t100_normalize before insert or update on public.podcasts
  for each row execute function private.normalize_podcast();

create function private.feed_url(slug text) returns text
language sql stable security invoker set search_path = ''
return private.get_setting('public_api_url') || '/feeds/' || private.encode_path_segment(slug) || '.xml';
comment on function private.feed_url is
  'Returns the URL of a podcast''s feed; a slug in another script is percent-encoded.';
grant execute on function private.feed_url to anon, authenticated, service_role;

create function private.guard_podcast() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  unlocked public.podcasts := old;
begin
  -- a new host reads the feed only if it is not locked
  unlocked.locked := false;
  unlocked.updated_at := new.updated_at;
  unlocked.is_being_deleted := new.is_being_deleted;  -- not generated yet
  if new is distinct from unlocked then
    perform private.reject_pending_deletion(old.status);
  end if;
  if new.slug is distinct from old.slug then
    raise sqlstate 'PT409' using message = 'A podcast''s slug cannot be changed', hint = 'SLUG_IMMUTABLE';
  end if;
  if new.podcast_guid <> old.podcast_guid
     and new.podcast_guid::text is distinct from current_setting('castbase.adopted_podcast_guid', true) then
    raise sqlstate 'PT409' using message = 'A podcast''s GUID cannot be changed', hint = 'GUID_IMMUTABLE';
  end if;
  if new.hosting_type is distinct from old.hosting_type then
    raise sqlstate 'PT409' using message = 'A podcast''s hosting type cannot be changed',
      hint = 'HOSTING_TYPE_IMMUTABLE';
  end if;
  return new;
end $$;
-- Not on the lifecycle columns: the service changes them in every status.
create trigger t300_guard before update of owner_id, slug, title, description, language, author, owner_name,
    owner_email, show_owner_email, categories, explicit, type, copyright, link, medium, funding, is_complete,
    is_blocked, podcast_guid, locked, verify_texts, apple_verify_token, ai_disclosure, hosting_type,
    cover_image_url, header_image_url, banner_image_url, profile_image_url, license, license_url, locations,
    update_frequency, podroll, remote_items, publisher, directory_blocks, directory_links, images, social_interactions,
    value_blocks, keywords, tags, extra_tags, feed_page_size on public.podcasts
  for each row execute function private.guard_podcast();

create trigger t310_guard_status before update of status on public.podcasts
  for each row when (old.status is distinct from new.status)
  execute function private.guard_status('A podcast',
    'active: paused pending_deletion',
    'paused: active pending_deletion',
    'pending_deletion: active paused');

create function private.guard_podcast_categories() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  entry jsonb;
begin
  if jsonb_typeof(new.categories) <> 'array' then
    return new;  -- the constraint lists_are_arrays rejects it
  end if;
  if jsonb_array_length(new.categories) > 3 then
    raise sqlstate 'PT400' using message = 'A podcast can have at most 3 categories';
  end if;
  if jsonb_array_length(new.categories)
     <> (select count(distinct value) from jsonb_array_elements(new.categories)) then
    raise sqlstate 'PT400' using message = 'Duplicate category';
  end if;
  for entry in select value from jsonb_array_elements(new.categories) loop
    perform from public.podcast_categories c
    where c.category = entry ->> 'category' and c.subcategory = coalesce(entry ->> 'subcategory', '');
    if not found then
      raise sqlstate 'PT400' using message = format('Unknown category: %s', left(entry::text, 200)),
        detail = 'See the table podcast_categories';
    end if;
  end loop;
  return new;
end $$;
create trigger t320_guard_categories before insert or update of categories on public.podcasts
  for each row execute function private.guard_podcast_categories();

-- A higher domain may replace the derived GUID by one that the podcast had elsewhere, before it becomes public.
create function private.adopt_podcast_guid(_podcast_id uuid, _podcast_guid uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('castbase.adopted_podcast_guid', _podcast_guid::text, true);
  update public.podcasts p set podcast_guid = _podcast_guid
  where p.id = _podcast_id;
  perform set_config('castbase.adopted_podcast_guid', '', true);
end $$;
comment on function private.adopt_podcast_guid is
  'Sets the GUID of a podcast, which is immutable for clients. The caller checks that the podcast was never public.';
-- No grant: security definer functions call it.

-- After: the owner's membership follows owner_id.
create function private.sync_owner_membership() returns trigger
language plpgsql security definer  -- members have no insert grant
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    update public.podcast_members m set role = 'admin' where m.podcast_id = new.id and m.user_id = old.owner_id;
  end if;
  insert into public.podcast_members (podcast_id, user_id, role) values (new.id, new.owner_id, 'owner')
  on conflict (podcast_id, user_id) do update set role = excluded.role;
  return null;
end $$;
create trigger t500_add_owner_membership after insert on public.podcasts
  for each row execute function private.sync_owner_membership();
create trigger t500_move_owner_membership after update of owner_id on public.podcasts
  for each row when (old.owner_id is distinct from new.owner_id) execute function private.sync_owner_membership();
