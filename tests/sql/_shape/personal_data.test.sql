-- Personal data: what happens to each reference to a user when the account is deleted, and whether export_account
-- contains it.
begin;
select tests.start();

-- cascade: the row served the account alone. set null: the row belongs to a podcast and stays without the user.
-- restrict: the account cannot be deleted before the row. Add a new reference to a user to this list.
create temp table decided (reference text, action text);
insert into decided select unnest(string_to_array(names, ' ')), action from (values
  ('cascade',
    'profiles.id reapable_users.user_id billing_accounts.user_id podcast_members.user_id podcast_transfers.user_id '
    'podcast_transfers.offered_by notifications.user_id notifications.unlisted_user_id '
    'notification_preferences.user_id notification_mutes.user_id digests.user_id '
    'notification_deliveries.user_id push_subscriptions.user_id '
    'notification_counts.user_id calendar_connections.user_id connected_calendars.user_id '
    'calendar_authorizations.user_id calendar_costs.user_id email_recipients.sender_id email_confirmations.user_id '
    'storage_overages.user_id'),
  ('set null',
    'episodes.created_by podcast_imports.created_by podcast_invitations.invited_by podcast_invitations.accepted_by '
    'podcast_guests.user_id guest_invitations.invited_by episode_people.user_id '
    'episode_messages.sender_user_id '  -- t500_keep_sender_name writes the name
    'automation_rules.author_id '       -- the rule is paused
    'automation_addresses.requested_by '
    'bookings.confirmed_by '
    'media_objects.account_id '         -- of objects that the sweep deletes
    'podcast_tombstones.owner_id '      -- public addresses still say where the podcast went
    'delivery_addresses.sender_id '     -- the email was sent to another person
    'subscriptions.user_id'),           -- the worker cancels at Stripe
  ('restrict', 'podcasts.owner_id')) v (action, names);
create temp view refs as
  select r.relname || '.' || a.attname as reference, case c.confdeltype when 'c' then 'cascade' when 'n' then 'set null'
    when 'r' then 'restrict' else c.confdeltype::text end as action
  from pg_constraint c join pg_class r on r.oid = c.conrelid
  join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
  where c.contype = 'f' and r.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
    and c.confrelid in ('auth.users'::regclass, 'public.profiles'::regclass, 'public.billing_accounts'::regclass);
select set_eq('select reference, action from refs', 'select reference, action from decided',
  'every reference to a user is listed with what a deletion of the account does');
select is_empty($$
  select c.relname || '.' || a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'r' and a.attnum > 0
    and not a.attisdropped and a.atttypid = 'uuid'::regtype
    and a.attname ~ '(^|_)(user|owner|account|actor|profile|member|sender)_id$|_by$'
    and c.relname <> 'notification_count_changes'  -- a trigger on profiles deletes its rows
  except select reference from refs $$,
  'every column that is named after a user references the user, so that a deletion of the account reaches it');

-- Export: each reference and each address is a column by which a view of export_account finds the user's rows, or a
-- column of such rows, or it is listed with the reason.
create temp table excepted (name text, reason text);
insert into excepted values
  ('podcast_tombstones.owner_id', 'the row repeats public answers; the limit of new podcasts counts it'),
  ('bookings.confirmed_by', 'the booking belongs to the podcast, whose owner exports it, and to its guest'),
  ('reapable_users.user_id', 'empty between the steps of the reaper'),
  ('notification_counts.user_id', 'numbers of the notifications, which the user exports'),
  ('storage_overages.user_id', 'two times that follow from plan and storage, which the user exports'),
  ('digests.user_id', 'two times that follow from the preferences'),
  ('delivery_addresses.sender_id', 'emails to other people'),
  ('email_recipients.sender_id', 'digests of other people''s addresses'),
  ('email_confirmations.user_id', 'digests and a time, for an hour'),
  ('calendar_authorizations.user_id', 'the row ends with the connection, within ten minutes'),
  ('calendar_costs.user_id', 'computing time of the last minutes'),
  ('reapable_users.email', 'empty between the steps of the reaper'),
  ('podcasts.owner_email', 'a column of the podcast, which its owner exports'),
  ('podcast_guests.email', 'a column of the guest, which the linked user exports'),
  ('podcast_imports.locked_owner_email', 'masked, and the address of another person'),
  ('import_owner_verifications.owner_email', 'the address is the feed''s, and the row ends with the verification');
create temp view addresses as
  select c.relname || '.' || a.attname as name, a.attrelid, a.attnum
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'r' and a.attnum > 0
    and not a.attisdropped and a.atttypid = 'text'::regtype and a.attname ~ 'email';
create temp view searched as
  select distinct c.relname || '.' || a.attname as name
  from pg_rewrite r
  join pg_class v on v.oid = r.ev_class and v.relnamespace = 'private'::regnamespace and v.relname like 'exported\_%'
  join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
  join pg_class c on c.oid = d.refobjid
  join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid;
select is_empty($$ select reference from refs union select name from addresses
    except select name from searched except select name from excepted $$,
  'export_account finds rows by every reference to a user and every address, except the listed ones');
select is_empty($$ select name from addresses a join searched using (name) where not exists (
    select from pg_index i where i.indrelid = a.attrelid and i.indkey[0] = a.attnum) $$,
  'every address by which export_account finds rows begins an index');
select is_empty('select name from excepted except (select reference from refs union select name from addresses)',
  'every exception of the export is a reference or an address');
select set_eq($$ select substring(relname from '^exported_(.*)') from pg_class
    where relnamespace = 'private'::regnamespace and relkind = 'v' and relname like 'exported\_%' $$,
  'select unnest(private.export_sections())',
  'each view exported_… is a section of the export, and each section a view');

select * from tests.finish();
rollback;
