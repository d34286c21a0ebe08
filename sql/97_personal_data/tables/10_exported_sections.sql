-- The sections of an account's export: everything that is held about a user. Each view has the user, the key by which
-- pages continue, and the record: the columns of its table, without secrets, other people's ids and their notes.
-- Timestamps and names are those of the tables, so that a record reads as the row that a client sees.
-- Auth's tables are read by functions, for the caller only: a view on such a table would make the platform's own
-- migrations of it fail.
create function private.export_sections() returns text[]
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select array[
    'user', 'identities', 'sessions', 'profile', 'billing_account', 'subscription',
    'podcasts', 'episodes', 'episode_transcripts', 'episode_chapters', 'bookings', 'direct_uploads', 'media_objects',
    'podcast_members', 'podcast_transfers',
    'received_podcast_invitations', 'podcast_invitation_blocks', 'sent_podcast_invitations',
    'podcast_guests', 'episode_guests', 'sent_guest_invitations', 'episode_messages', 'requested_bookings',
    'episode_people', 'episode_credits', 'created_episodes', 'calendar_connections', 'connected_calendars',
    'podcast_imports', 'automation_rules', 'automation_addresses', 'requested_automation_addresses',
    'automation_executions', 'events',
    'notification_preferences', 'notification_mutes', 'push_subscriptions', 'notifications',
    'notification_deliveries', 'delivery_addresses'
  ]
$$;
comment on function private.export_sections is
  'Lists the sections of an account''s export in their order; private.exported_<section> is the view of each.';

-- The user at Auth, without hashes and tokens. Auth's own API lists second factors.
create function private.my_auth_user() returns table (key uuid, record jsonb)
language sql stable security invoker set search_path = ''
as $$
  select u.id, jsonb_build_object(
    'id', u.id, 'email', u.email, 'new_email', nullif(u.email_change, ''), 'phone', u.phone,
    'email_confirmed_at', u.email_confirmed_at, 'phone_confirmed_at', u.phone_confirmed_at,
    'invited_at', u.invited_at, 'last_sign_in_at', u.last_sign_in_at, 'banned_until', u.banned_until,
    'is_sso_user', u.is_sso_user, 'is_anonymous', u.is_anonymous, 'app_metadata', u.raw_app_meta_data,
    'user_metadata', u.raw_user_meta_data, 'created_at', u.created_at, 'updated_at', u.updated_at)
  from auth.users u where u.id = auth.uid()
$$;
comment on function private.my_auth_user is 'The caller at Auth: a record of export_account.';
create view private.exported_user with (security_invoker = true) as
select auth.uid() as user_id, a.key, a.record from private.my_auth_user() a;

create function private.my_auth_identities() returns table (key uuid, record jsonb)
language sql stable security invoker set search_path = ''
as $$
  select i.id, jsonb_build_object(
    'provider', i.provider, 'provider_id', i.provider_id, 'email', i.email, 'identity_data', i.identity_data,
    'last_sign_in_at', i.last_sign_in_at, 'created_at', i.created_at, 'updated_at', i.updated_at)
  from auth.identities i where i.user_id = auth.uid()
$$;
comment on function private.my_auth_identities is 'The caller''s identities at Auth: records of export_account.';
create view private.exported_identities with (security_invoker = true) as
select auth.uid() as user_id, a.key, a.record from private.my_auth_identities() a;

create function private.my_auth_sessions() returns table (key uuid, record jsonb)
language sql stable security invoker set search_path = ''
as $$
  select s.id, jsonb_build_object(
    'created_at', s.created_at, 'updated_at', s.updated_at, 'refreshed_at', s.refreshed_at, 'not_after', s.not_after,
    'aal', s.aal, 'user_agent', s.user_agent, 'ip', s.ip)
  from auth.sessions s where s.user_id = auth.uid()
$$;
comment on function private.my_auth_sessions is 'The caller''s sessions at Auth: records of export_account.';
create view private.exported_sessions with (security_invoker = true) as
select auth.uid() as user_id, a.key, a.record from private.my_auth_sessions() a;

create view private.exported_profile with (security_invoker = true) as
select f.id as user_id, f.id as key, to_jsonb(f) as record from public.profiles f;

create view private.exported_billing_account with (security_invoker = true) as
select a.user_id, a.user_id as key, to_jsonb(a) as record from public.billing_accounts a;

create view private.exported_subscription with (security_invoker = true) as
select s.user_id, s.id as key, to_jsonb(s) as record from private.subscriptions s;

-- What the user owns
create view private.exported_podcasts with (security_invoker = true) as
select p.owner_id as user_id, p.id as key, to_jsonb(p) - 'is_being_deleted' as record
from public.podcasts p where not p.is_being_deleted;

create view private.exported_episodes with (security_invoker = true) as
select p.owner_id as user_id, e.id as key, to_jsonb(e) - 'created_by' as record
from public.podcasts p join public.episodes e on e.podcast_id = p.id;

create view private.exported_episode_transcripts with (security_invoker = true) as
select p.owner_id as user_id, t.id as key, to_jsonb(t) as record
from public.podcasts p join public.episode_transcripts t on t.podcast_id = p.id;

create view private.exported_episode_chapters with (security_invoker = true) as
select p.owner_id as user_id, c.id as key, to_jsonb(c) as record
from public.podcasts p join public.episode_chapters c on c.podcast_id = p.id;

create view private.exported_bookings with (security_invoker = true) as
select p.owner_id as user_id, b.id as key, to_jsonb(b) as record
from public.podcasts p join public.bookings b on b.podcast_id = p.id;

create view private.exported_direct_uploads with (security_invoker = true) as
select p.owner_id as user_id, d.id as key, to_jsonb(d) as record
from public.podcasts p join private.direct_uploads d on d.podcast_id = p.id;

create view private.exported_media_objects with (security_invoker = true) as
select m.account_id as user_id, m.path as key, to_jsonb(m) - '{target_id,copies_ended_at}'::text[] as record
from private.media_objects m;

-- Teams
create view private.exported_podcast_members with (security_invoker = true) as
select m.user_id, m.podcast_id as key, to_jsonb(m) as record from public.podcast_members m;

create view private.exported_podcast_transfers with (security_invoker = true) as
select t.user_id, t.id as key, to_jsonb(t) - 'offered_by' as record from public.podcast_transfers t
union all
select t.offered_by, t.id, to_jsonb(t) - 'user_id' from public.podcast_transfers t;

create view private.exported_received_podcast_invitations with (security_invoker = true) as
select auth.uid() as user_id, i.id as key, to_jsonb(i) - '{invited_by,accepted_by}'::text[] as record
from public.podcast_invitations i where i.email = (select private.my_confirmed_email())
union all  -- accepted with another address
select i.accepted_by, i.id, to_jsonb(i) - '{invited_by,accepted_by}'::text[]
from public.podcast_invitations i where i.email is distinct from (select private.my_confirmed_email());

create view private.exported_podcast_invitation_blocks with (security_invoker = true) as
select auth.uid() as user_id, r.podcast_id as key, to_jsonb(r) as record
from private.podcast_invitation_blocks r where r.email = (select private.my_confirmed_email());

create view private.exported_sent_podcast_invitations with (security_invoker = true) as
select i.invited_by as user_id, i.id as key, to_jsonb(i) - '{invited_by,accepted_by}'::text[] as record
from public.podcast_invitations i;

-- Guests: the user as a guest, and the messages in invitations that the user wrote. Notes of hosts stay theirs.
create view private.exported_podcast_guests with (security_invoker = true) as
select g.user_id, g.id as key, to_jsonb(g) as record from public.podcast_guests g;

create view private.exported_episode_guests with (security_invoker = true) as
select g.user_id, e.id as key, to_jsonb(e) || jsonb_build_object('message', i.message) as record
from public.podcast_guests g
join public.episode_guests e on e.podcast_guest_id = g.id
left join private.guest_invitations i on i.episode_guest_id = e.id;

create view private.exported_sent_guest_invitations with (security_invoker = true) as
select i.invited_by as user_id, i.episode_guest_id as key, jsonb_build_object(
  'episode_guest_id', i.episode_guest_id, 'message', i.message) as record
from private.guest_invitations i;

create view private.exported_episode_messages with (security_invoker = true) as
select m.sender_user_id as user_id, m.id as key, to_jsonb(m) as record from public.episode_messages m
union all
select g.user_id, m.id, to_jsonb(m)
from public.podcast_guests g
join public.episode_guests e on e.podcast_guest_id = g.id
join public.episode_messages m on m.sender_guest_id = e.id;

-- Bookings with the user's address, which anyone may have entered. Guests learn the place once they are confirmed.
create view private.exported_requested_bookings with (security_invoker = true) as
select auth.uid() as user_id, b.id as key,
  to_jsonb(b) - 'confirmed_by'
    || case when b.status <> 'confirmed' then '{"location": null}' else '{}' end::jsonb as record
from public.bookings b where b.guest_email = (select private.my_confirmed_email());

-- People
create view private.exported_episode_people with (security_invoker = true) as
select p.user_id, p.id as key, to_jsonb(p) as record from public.episode_people p
union all
select g.user_id, p.id, to_jsonb(p)
from public.podcast_guests g
join public.episode_guests e on e.podcast_guest_id = g.id
join public.episode_people p on p.guest_id = e.id;

create view private.exported_episode_credits with (security_invoker = true) as
select p.user_id, c.id as key, to_jsonb(c) as record
from public.episode_people p join public.episode_credits c on c.id = p.credit_id
union all
select g.user_id, c.id, to_jsonb(c)
from public.podcast_guests g
join public.episode_guests e on e.podcast_guest_id = g.id
join public.episode_people p on p.guest_id = e.id
join public.episode_credits c on c.id = p.credit_id;

-- What the user did for podcasts of others: only the fact, because the team may have removed the user since
create view private.exported_created_episodes with (security_invoker = true) as
select e.created_by as user_id, e.id as key, jsonb_build_object(
  'id', e.id, 'podcast_id', e.podcast_id, 'created_at', e.created_at) as record
from public.episodes e join public.podcasts p on p.id = e.podcast_id and p.owner_id is distinct from e.created_by;

-- Without tokens, passwords and URLs, which are in Vault
create view private.exported_calendar_connections with (security_invoker = true) as
select c.user_id, c.id as key, to_jsonb(c) as record from public.calendar_connections c;

create view private.exported_connected_calendars with (security_invoker = true) as
select c.user_id, c.id as key, to_jsonb(c) as record from public.connected_calendars c;

create view private.exported_podcast_imports with (security_invoker = true) as
select i.created_by as user_id, i.id as key, jsonb_build_object(
  'id', i.id, 'podcast_id', i.podcast_id, 'feed_url', i.feed_url, 'created_at', i.created_at) as record
from public.podcast_imports i;

create view private.exported_automation_rules with (security_invoker = true) as
select r.author_id as user_id, r.id as key, jsonb_build_object(
  'id', r.id, 'podcast_id', r.podcast_id, 'created_at', r.created_at) as record
from public.automation_rules r;

-- Addresses with the user's, which the user confirmed or someone else entered
create view private.exported_automation_addresses with (security_invoker = true) as
select auth.uid() as user_id, a.id as key, to_jsonb(a) - 'requested_by' as record
from public.automation_addresses a where a.email = (select private.my_confirmed_email());

create view private.exported_requested_automation_addresses with (security_invoker = true) as
select a.requested_by as user_id, a.id as key, jsonb_build_object(
  'id', a.id, 'podcast_id', a.podcast_id, 'created_at', a.created_at) as record
from public.automation_addresses a;

-- What automations did about a guest with the user's address: only the fact, because hosts write the rules
create view private.exported_automation_executions with (security_invoker = true) as
select auth.uid() as user_id, e.id as key, jsonb_build_object(
  'id', e.id, 'podcast_id', e.podcast_id, 'trigger_type', e.trigger_type, 'guest_email', e.guest_email,
  'guest_name', e.context_data #>> '{tags,guest_full_name}', 'created_at', e.created_at) as record
from public.automation_executions e where e.guest_email = (select private.my_confirmed_email());

-- The other party's id is left out.
create view private.exported_events with (security_invoker = true) as
select (e.payload ->> 'user_id')::uuid as user_id, e.id as key, to_jsonb(e) || jsonb_build_object('payload',
  case when e.payload ->> 'actor_id' = e.payload ->> 'user_id' then e.payload else e.payload - 'actor_id' end) as record
from private.events e
union all
select (e.payload ->> 'actor_id')::uuid, e.id, to_jsonb(e) || jsonb_build_object('payload', e.payload - 'user_id')
from private.events e where e.payload ->> 'actor_id' is distinct from e.payload ->> 'user_id';

-- Notifications
create view private.exported_notification_preferences with (security_invoker = true) as
select n.user_id, n.user_id as key, to_jsonb(n) as record from public.notification_preferences n;

create view private.exported_notification_mutes with (security_invoker = true) as
select m.user_id, m.id as key, to_jsonb(m) as record from public.notification_mutes m;

create view private.exported_push_subscriptions with (security_invoker = true) as
select s.user_id, s.id as key, to_jsonb(s) as record from public.push_subscriptions s;

create view private.exported_notifications with (security_invoker = true) as
select n.user_id, n.id as key, to_jsonb(n) as record from public.notifications n
union all
select n.unlisted_user_id, n.id, to_jsonb(n) from public.notifications n where n.unlisted_user_id is not null
union all
select g.user_id, n.id, to_jsonb(n)
from public.podcast_guests g
join public.episode_guests e on e.podcast_guest_id = g.id
join public.notifications n on n.episode_guest_id = e.id;

create view private.exported_notification_deliveries with (security_invoker = true) as
select d.user_id, d.id as key, to_jsonb(d) as record from public.notification_deliveries d
union all
select g.user_id, d.id, to_jsonb(d)
from public.podcast_guests g
join public.episode_guests e on e.podcast_guest_id = g.id
join public.notification_deliveries d on d.episode_guest_id = e.id;

create view private.exported_delivery_addresses with (security_invoker = true) as
select auth.uid() as user_id, a.delivery_id as key, to_jsonb(a) - 'sender_id' as record
from private.delivery_addresses a where a.email = (select private.my_confirmed_email());
