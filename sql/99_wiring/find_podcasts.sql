-- Which podcast a request is about, given the ids and slugs that it names. A _shape test demands each such table.
create function private.find_podcasts(keys text[]) returns table (key text, podcast_id uuid)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- to plan this takes twice as long as to run it
set enable_seqscan = off  -- the plan may be older than the rows
as $$
declare
  id_pattern constant text := '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
  ids        constant uuid[] := array(select k::uuid from unnest(keys) k where k ~ id_pattern);
begin
  return query
  select r.id::text, r.podcast_id from (
    select p.id, p.id from public.podcasts p
    union all select i.id, i.podcast_id from public.podcast_invitations i
    union all select t.id, t.podcast_id from public.podcast_transfers t
    union all select c.id, c.podcast_id from public.podcast_credits c
    union all select e.id, e.podcast_id from public.episodes e
    union all select u.id, u.podcast_id from private.direct_uploads u
    union all select t.id, t.podcast_id from public.episode_transcripts t
    union all select c.id, c.podcast_id from public.episode_chapters c
    union all select g.id, g.podcast_id from public.podcast_guests g
    union all select g.id, g.podcast_id from public.episode_guests g
    union all select m.id, m.podcast_id from public.episode_messages m
    union all select c.id, c.podcast_id from public.episode_credits c
    union all select p.id, p.podcast_id from public.episode_people p
    union all select l.id, l.podcast_id from public.booking_links l
    union all select b.id, b.podcast_id from public.bookings b
    union all select m.id, m.podcast_id from public.notification_mutes m
    union all select i.id, i.podcast_id from public.podcast_imports i
    union all select i.id, i.podcast_id from public.podcast_import_items i
    union all select t.id, t.podcast_id from public.automation_templates t
    union all select r.id, r.podcast_id from public.automation_rules r
    union all select a.id, a.podcast_id from public.automation_actions a
    union all select a.id, a.podcast_id from public.automation_addresses a
    union all select x.id, x.podcast_id from public.automation_executions x
  ) r (id, podcast_id)
  where r.id = any (ids)
  union all
  select p.slug, p.id from public.podcasts p
  where p.slug = any (keys) and p.slug !~ id_pattern;  -- a slug cannot claim the id of another podcast
end $$;
comment on function private.find_podcasts is
  'The podcasts of ids, in lower case, and of slugs. Each podcast has a share of the connections of the functions.';
