-- export_account: what is held about the caller, in pages.
begin;
-- Statistics of small tables would let the planner read them as a whole: the plans below need tables without any.
-- squawk-ignore ban-truncate-cascade
truncate public.profiles cascade;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.member('ana', 'show', 'admin'),
  tests.podcast('own', 'ana'), tests.episode('mine', 'own'), tests.podcast('other', 'otto');
select tests.episode('foreign', 'other'), tests.person('early', false);

-- A row of every kind about ana, and one that is not
update auth.users set last_sign_in_at = now(), encrypted_password = 'SECRET-hash', recovery_token = 'SECRET-token',
  raw_app_meta_data = '{"provider": "email"}' where id = tests.id('ana');
insert into auth.identities (provider_id, provider, user_id, identity_data)
values ('ana', 'email', tests.id('ana'), '{"email": "ana@test.example"}'), ('ola', 'email', tests.id('ola'), '{}');
insert into auth.sessions (id, user_id, user_agent, ip)
values (tests.id('ana'), tests.id('ana'), 'Browser', '192.0.2.1');
insert into auth.refresh_tokens (token, user_id, session_id)
values ('SECRET-refresh', tests.id('ana'), tests.id('ana'));
select tests.upload_audio('mine'), tests.subscription('ana');
insert into public.episode_transcripts (episode_id, type, url)
select tests.id(e), 'text/vtt', 'https://x.test/' from unnest(array['mine', 'foreign']) e;
insert into public.episode_chapters (episode_id, start_seconds, title)
select tests.id(e), 0, 'Intro' from unnest(array['mine', 'foreign']) e;
insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, declared_bytes)
values (tests.id('own'), tests.id('mine'), 'uploads/a', 'podcasts/a', 'audio/mpeg', 1);
select tests.transfer('show', 'ana'), tests.invitation('other', 'ana@test.example', 'otto'),
  tests.invitation('show', 'new@test.example', 'ana'), tests.invitation('show', 'else@test.example', 'ola');
select tests.guest('ana', 'foreign', 'active'), tests.guest_with_token('gus', 'mine', 'active');
insert into private.guest_invitations (episode_guest_id, invited_by, message)
values (tests.id('foreign/ana'), tests.id('otto'), 'Please come');
insert into private.access_tokens values (sha256('SECRET'), 'guest_invitation', tests.id('foreign/ana'), 'infinity');
update private.guest_invitations set invited_by = tests.id('ana'), message = 'Join us'
where episode_guest_id = tests.id('mine/gus');
insert into public.podcast_guest_notes (guest_id, notes) select id, 'PRIVATE note' from public.podcast_guests;
insert into public.episode_messages (episode_id, body, sender_user_id, sender_guest_id) values
  (tests.id('pilot'), 'As a member', tests.id('ana'), null),
  (tests.id('foreign'), 'As a guest', null, tests.id('foreign/ana')),
  (tests.id('pilot'), 'PRIVATE message', tests.id('ola'), null);
select tests.act_as('ana');
insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Made by Ana');
select tests.act_as('postgres');
insert into public.podcast_imports (podcast_id, created_by, feed_url, status, staged_at, verification_token, detection)
values (tests.id('own'), tests.id('ana'), 'https://feeds.example/a.xml', 'preview', now(),
  'castbase-verify-' || gen_random_uuid(), '{}');
select tests.booking_link('link', 'own'), tests.booking_link('foreign-link', 'other');
insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, guest_name, guest_email,
  expires_at, location)
select l.id, l.podcast_id, l.name, now() + interval '1 day', now() + interval '25 hours', 'Guest', b.email, now(),
  '{"type": "custom", "value": "Here"}'
from (values ('link', 'gus@test.example'), ('foreign-link', 'ana@test.example')) b (link, email)
cross join lateral tests.link(b.link) l;
select tests.rule('by-ana', 'show', 'booking.confirmed', author => 'ana');
insert into public.automation_addresses (podcast_id, email, requested_by) values
  (tests.id('other'), 'ana@test.example', tests.id('otto')), (tests.id('own'), 'aunt@test.example', tests.id('ana'));
insert into public.automation_executions (podcast_id, rule_name, trigger_type, context_data)
select tests.id('other'), 'PRIVATE rule', 'booking.confirmed', jsonb_build_object('tags', jsonb_build_object(
  'guest_email', email, 'guest_full_name', 'Ana', 'host_name', 'PRIVATE')) from unnest(array['ana@test.example',
  'gus@test.example']) email;
delete from public.notifications;
select tests.connect_account('google', 'ana');
insert into public.notification_mutes (user_id, scope, podcast_id)
select p.owner_id, 'podcast', p.id from public.podcasts p where p.owner_id = tests.id('ana') limit 1;
insert into public.push_subscriptions (user_id, endpoint) values (tests.id('ana'), 'https://push.example/ana');
with notified as (
  insert into public.notifications (user_id, episode_guest_id, type, category, priority, title)
  values (tests.id('ana'), null, 'chat.message', 'collaboration', 'normal', 'For Ana'),
    (null, tests.id('foreign/ana'), 'chat.message', 'collaboration', 'normal', 'For Ana as a guest'),
    (null, tests.id('mine/gus'), 'chat.message', 'collaboration', 'normal', 'PRIVATE notification') returning *
), sent as (
  insert into public.notification_deliveries (notification_id, user_id, episode_guest_id, type, channel, priority)
  select id, user_id, episode_guest_id, 'chat.message', 'email', 'normal' from notified
), invited as (
  insert into public.notification_deliveries (type, channel, priority)
  values ('booking.confirmed', 'email', 'normal') returning id
)
insert into private.delivery_addresses (delivery_id, email, locale, title)
select id, 'ana@test.example', 'en', 'For Ana' from invited;

create function pg_temp.page(who text, cursor text default null) returns jsonb language sql as $$
  select tests.value_as(who, format('select public.export_account(%L)', cursor))::jsonb
$$;
-- The whole export: {section: records}
create function pg_temp.export(who text) returns jsonb language plpgsql as $$
declare
  page   jsonb := pg_temp.page(who);
  entry  jsonb;
  result jsonb := '{}';
begin
  loop
    for entry in select value from jsonb_array_elements(page -> 'data') loop
      result := result || jsonb_build_object(entry ->> 'section',
        coalesce(result -> (entry ->> 'section'), '[]') || (entry -> 'records'));
    end loop;
    exit when not (page #>> '{pagination,hasMore}')::boolean;
    page := pg_temp.page(who, page #>> '{pagination,nextCursor}');
  end loop;
  return result;
end $$;

insert into private.podcast_invitation_blocks values (tests.id('show'), 'ana@test.example', now());
create temp table exported as select pg_temp.export('ana') as all;
select is((select jsonb_object_agg(key, jsonb_array_length(value)) from exported e, jsonb_each(e.all)), '{
  "user": 1, "identities": 1, "sessions": 1, "profile": 1, "billing_account": 1, "subscription": 1,
  "podcasts": 1, "episodes": 1, "episode_transcripts": 1, "episode_chapters": 1, "bookings": 1,
  "direct_uploads": 1, "media_objects": 1,
  "podcast_members": 2, "podcast_transfers": 1,
  "received_podcast_invitations": 1, "podcast_invitation_blocks": 1, "sent_podcast_invitations": 1,
  "podcast_guests": 1, "episode_guests": 1, "sent_guest_invitations": 1, "episode_messages": 2,
  "episode_people": 2, "episode_credits": 2, "created_episodes": 1, "calendar_connections": 1,
  "requested_bookings": 1, "connected_calendars": 2, "podcast_imports": 1, "events": 3,
  "automation_rules": 1, "automation_addresses": 1, "requested_automation_addresses": 1,
  "automation_executions": 1,
  "notification_preferences": 1, "notification_mutes": 1, "push_subscriptions": 1,
  "notifications": 2, "notification_deliveries": 2,
  "delivery_addresses": 2}', 'export_account returns each section with the caller''s rows');
select is((select jsonb_build_array(e #> '{bookings,0,location,value}', e #> '{requested_bookings,0,location}')
    from pg_temp.export('ana') e), '["Here", null]',
  'export_account returns the place of a request to its hosts alone');
select is((select array(select jsonb_array_elements(pg_temp.page('ana') -> 'data') ->> 'section')),
  private.export_sections(), 'export_account returns the sections in their order');
select unalike((select e.all::text from exported e), format('%%%s%%', secret),
  format('export_account returns no text with %s', secret))
from unnest(array['SECRET', 'PRIVATE', 'ACCESS', 'REFRESH', 'castbase-verify-', 'else@test.example']) secret;
select is((select e.all #> '{user,0}' from exported e), (
  select jsonb_build_object('id', u.id, 'email', 'ana@test.example', 'new_email', null, 'phone', null,
    'email_confirmed_at', u.email_confirmed_at, 'phone_confirmed_at', null, 'invited_at', null,
    'last_sign_in_at', u.last_sign_in_at, 'banned_until', null, 'is_sso_user', false, 'is_anonymous', false,
    'app_metadata', u.raw_app_meta_data, 'user_metadata', u.raw_user_meta_data, 'created_at', u.created_at,
    'updated_at', u.updated_at)
  from auth.users u where u.id = tests.id('ana')), 'export_account returns what Auth holds about the user');
select is(
  (select (e.all #> '{sessions,0}') - '{aal,created_at,updated_at,refreshed_at,not_after}'::text[] from exported e),
  '{"user_agent": "Browser", "ip": "192.0.2.1"}', 'export_account returns sessions with address and browser');
select is((select e.all #> '{profile,0}' from exported e),
  (select to_jsonb(f) from public.profiles f where f.id = tests.id('ana')),
  'export_account returns the profile as its row');
select is((select e.all #>> '{podcasts,0,title}' from exported e), 'own',
  'export_account returns owned podcasts, and none of other teams');
select is((select e.all #> '{created_episodes,0}' from exported e), (
  select jsonb_build_object('id', e.id, 'podcast_id', e.podcast_id, 'created_at', e.created_at)
  from public.episodes e where e.title = 'Made by Ana'),
  'export_account returns that the caller created an episode for others, and nothing that the team may change');
select is((select (e.all #> '{podcast_imports,0}') - '{id,created_at}'::text[] from exported e),
  jsonb_build_object('podcast_id', tests.id('own'), 'feed_url', 'https://feeds.example/a.xml'),
  'export_account returns that the caller started an import');
select is((select (e.all #> '{automation_executions,0}') - '{id,created_at}'::text[] from exported e),
  jsonb_build_object('podcast_id', tests.id('other'), 'trigger_type', 'booking.confirmed',
    'guest_email', 'ana@test.example', 'guest_name', 'Ana'),
  'export_account returns that an automation ran for the caller as a guest');
select is((select jsonb_path_query_array(e.all, '$.episode_messages[*].body') from exported e) @>
  '["As a member", "As a guest"]', true, 'export_account returns the caller''s messages as a member and as a guest');
select is((select (e.all #> '{episode_guests,0}') ->> 'message' from exported e), 'Please come',
  'export_account returns the message of an invitation that the caller received');
select is((select (e.all #> '{sent_guest_invitations,0}') from exported e),
  jsonb_build_object('episode_guest_id', tests.id('mine/gus'), 'message', 'Join us'),
  'export_account returns the message of an invitation that the caller sent');
select set_eq($$
    select r #>> '{payload,user_id}' as party, r #>> '{payload,actor_id}' as actor,
      r -> 'payload' ? 'podcast_id' as has_podcast
    from exported e, jsonb_array_elements(e.all -> 'events') r $$,
  format($$ values ('%1$s'::text, null::text, true), (null, '%1$s', true) $$, tests.id('ana')),
  'export_account returns events for the caller and by the caller, without the id of the other party');
select unalike((select e.all::text from exported e), format('%%%s%%', tests.id(other)),
  format('export_account returns no id of %s, who invited or wrote to the caller', other))
from unnest(array['ola', 'otto']) other;

-- Invitations of a former address, and of an unconfirmed one
select tests.act_as('ana');
select public.accept_podcast_invitation(tests.id('other/ana@test.example')) is not null;
select tests.act_as('postgres');
update auth.users set email = 'renamed@test.example' where id = tests.id('ana');
select is(pg_temp.export('ana') #>> '{received_podcast_invitations,0,email}', 'ana@test.example',
  'export_account returns an invitation that the caller accepted with a former address');
select tests.invitation('other', 'early@test.example', 'otto');
select is((select jsonb_object_agg(key, jsonb_array_length(value)) filter (where value <> '[]')
  from jsonb_each(pg_temp.export('early'))), '{"user": 1}',
  'export_account returns an unconfirmed user''s sign-up, and no invitations to the address');

-- Callers
select tests.access('export_account', 'select public.export_account()', '42501: anon service');
select tests.act_as('ana');
select is(tests.describe_error(format('select public.export_account(%L)', cursor)),
  'PT400 / Invalid cursor; pass the cursor of the previous page',
  format('export_account returns 400 for the cursor "%s"', cursor))
from unnest(array['', 'x', 'x/y', '/', 'exported_user/']) cursor;
select is(tests.error_of($$ select public.export_account('podcasts/x'' or true --') $$), '22P02',
  'export_account rejects a cursor with an invalid key');
select is(tests.error_of($$ select public.export_account('media_objects/x'' or true --') $$), 'none',
  'a cursor''s key is a value and no SQL');
select tests.act_as('postgres');
delete from public.podcasts where id = tests.id('own');
delete from auth.users where id = tests.id('ana');
select tests.act_as('ana');
select is(tests.describe_error('select public.export_account()'), 'PT404 / The account was deleted',
  'export_account returns 404 to the token of a deleted account');
select tests.act_as('postgres');

-- Pages
insert into public.episode_messages (episode_id, body, sender_user_id)
select tests.id('foreign'), 'Message ' || n, tests.id('otto') from generate_series(1, 1200) n;
create temp table pages as
  with recursive walked (page) as (
    select pg_temp.page('otto')
    union all
    select pg_temp.page('otto', w.page #>> '{pagination,nextCursor}') from walked w
    where w.page #>> '{pagination,nextCursor}' is not null)
  select w.page, row_number() over () as n from walked w;
select is((select count(*) from pages), 3::bigint, 'export_account returns 1,200 messages in three pages');
select is((select count(distinct m ->> 'id') from pages, jsonb_path_query(page,
  '$.data[*] ? (@.section == "episode_messages").records[*]') m), 1200::bigint,
  'the pages of export_account have every message once');
select cmp_ok((select max((select count(*) from jsonb_path_query(page, '$.data[*].records[*]'))) from pages), '<=',
  500::bigint, 'a page of export_account has at most 500 records');
update public.episode_messages set body = repeat('x', 4000);
select cmp_ok(octet_length(pg_temp.page('otto')::text), '<', 700000, 'a page of export_account has half a megabyte');

-- Rate limit
select private.set_setting('max_account_exports_per_hour', '2');
delete from private.rate_limits;
select pg_temp.page('otto') is not null, pg_temp.page('otto') is not null;
select tests.act_as('otto');
select is(tests.error_of('select public.export_account()'), 'PT429 RATE_LIMITED',
  'export_account returns 429 over max_account_exports_per_hour');
select is(tests.error_of($$ select public.export_account('profile/') $$), 'none',
  'later pages are not counted as exports');
select tests.act_as('postgres');
delete from private.rate_limits;
insert into private.rate_limits values
  ('account_export_pages:' || tests.id('otto'), now(), now() + interval '1 hour', 1997);
select tests.act_as('otto');
select is((select array_agg(tests.error_of('select public.export_account(''user/'')')) from generate_series(1, 4)),
  '{none,none,none,PT429 RATE_LIMITED}',
  'export_account returns 429 over 2,000 pages per hour, from the first record too');
select tests.act_as('postgres');

-- Plans: the keys of each section come from an index by user. Without an order, because reading a primary key in its
-- order costs no more in tables this small.
create function pg_temp.plan_of(section text) returns text language plpgsql as $$
declare
  line text;
  plan text := '';
begin
  for line in execute format('explain (costs off) select v.key from private.%I v where v.user_id = %L',
    'exported_' || section, tests.id('otto'))
  loop
    plan := plan || line || E'\n';
  end loop;
  return plan;
end $$;
set local enable_seqscan = off;
select ok(plan !~ 'Seq Scan' and regexp_count(plan, 'Index (Only )?Scan') = regexp_count(plan, 'Index Cond'),
  format('the section %s of export_account reads by indexes: %s', section, plan))
from unnest(private.export_sections()) section, pg_temp.plan_of(section) plan;

select * from tests.finish();
rollback;
