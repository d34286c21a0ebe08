-- Personal data: what happens to each reference to a user when the account is deleted.
begin;
select tests.start();

-- cascade: the row served the account alone. set null: the row belongs to a podcast and stays without the user.
-- restrict: the account cannot be deleted before the row. Add a new reference to a user to this list.
create temp table decided (reference text, action text);
insert into decided select unnest(string_to_array(names, ' ')), action from (values
  ('cascade',
    'profiles.id reapable_users.user_id billing_accounts.user_id podcast_members.user_id podcast_transfers.user_id '
    'podcast_transfers.offered_by'),
  ('set null',
    'episodes.created_by podcast_imports.created_by podcast_invitations.invited_by podcast_invitations.accepted_by '
    'podcast_guests.user_id guest_invitations.invited_by episode_people.user_id '
    'episode_messages.sender_user_id '  -- t500_keep_sender_name writes the name
    'media_objects.account_id'),        -- of objects that the sweep deletes
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
  except select reference from refs $$,
  'every column that is named after a user references the user, so that a deletion of the account reaches it');

select * from tests.finish();
rollback;
