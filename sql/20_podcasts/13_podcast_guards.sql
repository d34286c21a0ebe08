-- What holds for every podcast, whoever writes it.
-- Who
alter table public.podcasts enable row level security;
-- owner_id stands beside the memberships because an insert's RETURNING is checked before the owner's row exists
create policy members_read on public.podcasts for select to authenticated
  using (owner_id = (select auth.uid()) or id = any ((select private.my_podcasts('member'))::uuid[]));
create policy users_create on public.podcasts for insert to authenticated
  with check (owner_id = (select auth.uid()));
create policy admins_update on public.podcasts for update to authenticated
  using (id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.podcasts to authenticated;
grant insert (slug, title, description, language, author, owner_name, owner_email, show_owner_email, categories, explicit,
    type, copyright, link, medium, funding, is_complete, is_blocked, locked, verify_texts, apple_verify_token,
    ai_disclosure, hosting_type, cover_image_url, header_image_url, banner_image_url, profile_image_url)
  on public.podcasts to authenticated;
grant update (title, description, language, author, owner_name, owner_email, show_owner_email, categories, explicit,
    type, copyright, link, medium, funding, is_complete, is_blocked, locked, verify_texts, apple_verify_token,
    ai_disclosure, cover_image_url, header_image_url, banner_image_url, profile_image_url)
  on public.podcasts to authenticated;
grant select, insert, update on public.podcasts to service_role;
-- Not granted: id (one that was public must not come back as someone else's), owner_id (accept_podcast_transfer), status and
-- delete (the lifecycle verbs), podcast_guid (made here or imported), slug and hosting_type after the insert.

-- Always
create function private.normalize_podcast() returns trigger
language plpgsql security definer  -- the slug ledger is not the caller's
set search_path = ''
as $$
declare
  wanted text;
begin
  new.updated_at := clock_timestamp();
  new.title := private.normalize_line(new.title);
  new.author := private.normalize_line(new.author);
  new.owner_name := private.normalize_line(new.owner_name);
  new.owner_email := private.normalize_line(new.owner_email);
  new.copyright := private.normalize_line(new.copyright);
  new.apple_verify_token := private.normalize_line(new.apple_verify_token);
  if jsonb_typeof(new.funding) = 'array' and private.is_list_of_texts(new.funding, '{url,text}') then
    new.funding := private.normalize_lines(new.funding, '{text}');
  end if;
  if jsonb_typeof(new.verify_texts) = 'array' and private.is_list_of_texts(new.verify_texts, '{text,purpose}') then
    new.verify_texts := private.normalize_lines(new.verify_texts, '{text,purpose}');
  end if;
  if tg_op = 'INSERT' then
    -- serialises two podcasts that want the same slug: the second sees the first
    wanted := private.slugify(coalesce(new.slug, new.title), case when new.slug is null then 'podcast' end);
    if wanted is null then
      raise sqlstate 'PT400' using message = 'A slug needs at least one letter or digit';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('podcast-slug/' || wanted, 0));
    if new.slug is not null then
      new.slug := wanted;
    else
      new.slug := private.next_available_slug(wanted, array(
        select s.slug from private.podcast_slugs s
        where s.slug = wanted or (s.slug > wanted || '-' and s.slug < wanted || '.')));  -- the point follows the hyphen
    end if;
    insert into private.podcast_slugs (slug, podcast_id) values (new.slug, new.id);
    -- https://github.com/Podcastindex-org/podcast-namespace, guid: UUIDv5 of the feed URL without its scheme and trailing slashes
    new.podcast_guid := coalesce(new.podcast_guid, extensions.uuid_generate_v5(
      'ead4c236-bf58-58c6-a2c6-a6b28d128cb6', regexp_replace(private.feed_url(new.slug), '^[a-z]+://|/+$', '', 'g')));
  end if;
  return new;
exception when unique_violation then
  raise sqlstate 'PT409' using message = format('The slug %L is taken', new.slug), hint = 'SLUG_TAKEN';
end $$;
create trigger t100_normalize before insert or update on public.podcasts
  for each row execute function private.normalize_podcast();

create function private.feed_url(slug text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.setting('public_api_url') || '/feeds/' || private.encode_path_segment(slug) || '.xml';
end $$;
comment on function private.feed_url is 'Where a podcast''s feed is served: a URI, whatever script the slug is of.';
grant execute on function private.feed_url to anon, authenticated, service_role;

create function private.guard_podcast() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if old.status in ('pending_deletion', 'deleted') then
    raise sqlstate 'PT409' using message = 'The podcast is scheduled for deletion', hint = 'PODCAST_PENDING_DELETION';
  end if;
  if (new.slug, new.hosting_type) is distinct from (old.slug, old.hosting_type)
     or new.podcast_guid <> old.podcast_guid  -- but for one that an import brings along, before anyone knows the podcast by its own
       and new.podcast_guid::text is distinct from current_setting('castbase.imported_guid', true) then
    raise sqlstate 'PT409' using message = 'A podcast keeps its slug, its GUID and its hosting type';
  end if;
  return new;
end $$;
-- not on the lifecycle's columns: the lifecycle verbs write those whatever the status
create trigger t300_guard before update of owner_id, slug, title, description, language, author, owner_name,
    owner_email, show_owner_email, categories, explicit, type, copyright, link, medium, funding, is_complete, is_blocked,
    podcast_guid, locked, verify_texts, apple_verify_token, ai_disclosure, hosting_type,
    cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row execute function private.guard_podcast();

create function private.guard_podcast_lists() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  entry jsonb;
begin
  if 'array' <> any (array[jsonb_typeof(new.categories), jsonb_typeof(new.funding), jsonb_typeof(new.verify_texts)]) then
    return new;  -- refused by the check lists_are_arrays
  end if;
  if jsonb_array_length(new.categories) > 3 or jsonb_array_length(new.funding) > 10 or jsonb_array_length(new.verify_texts) > 20 then
    raise sqlstate 'PT400' using message = 'At most 3 categories, 10 funding links and 20 verify texts';
  end if;
  if jsonb_array_length(new.categories) <> (select count(distinct value) from jsonb_array_elements(new.categories)) then
    raise sqlstate 'PT400' using message = 'A category is given twice';
  end if;
  for entry in select value from jsonb_array_elements(new.categories) loop
    perform from public.podcast_categories c
    where c.category = entry ->> 'category' and c.subcategory = coalesce(entry ->> 'subcategory', '');
    if not found then
      raise sqlstate 'PT400' using message = format('Unknown category: %s', left(entry::text, 200)), detail = 'See the table podcast_categories';
    end if;
  end loop;
  for entry in select value from jsonb_array_elements(new.funding) loop
    if not coalesce(private.is_http_url(entry ->> 'url'), false) or char_length(coalesce(entry ->> 'text', '')) not between 1 and 128 then
      raise sqlstate 'PT400' using message = 'A funding entry needs a url (http or https) and a text of 1 to 128 characters';
    end if;
  end loop;
  for entry in select value from jsonb_array_elements(new.verify_texts) loop
    if char_length(coalesce(entry ->> 'text', '')) not between 1 and 4000 or char_length(coalesce(entry ->> 'purpose', '')) > 128 then
      raise sqlstate 'PT400' using message = 'A verify text needs a text of 1 to 4,000 characters, and its purpose is at most 128 long';
    end if;
    if entry ->> 'purpose' = 'ai-content' and entry ->> 'text' not in ('true', 'false') then
      raise sqlstate 'PT400' using message = 'The text of the purpose ai-content must be true or false; use ai_disclosure for other texts';
    end if;
  end loop;
  return new;
end $$;
create trigger t310_guard_lists before insert or update of categories, funding, verify_texts on public.podcasts
  for each row execute function private.guard_podcast_lists();

-- After: owner_id and the owner's row move together, whoever writes.
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
