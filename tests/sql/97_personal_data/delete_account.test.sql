-- delete_account: the caller's user is deleted, with what belongs to the user alone.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.member('ana', 'show', 'admin'),
  tests.member('vic', 'show'), tests.podcast('other', 'otto'), tests.podcast('kept', 'kim');
select tests.person('early', false);
create function pg_temp.delete_as(who text) returns text language sql as $$
  select tests.result_of(who, 'select public.delete_account()') $$;

-- Owners
select tests.act_as('kim');
select is(tests.describe_error('select public.delete_account()'), format(
  'PT409 / You still own podcasts; delete or transfer them first / ACCOUNT_OWNS_PODCASTS / %s', jsonb_build_object(
    'podcasts', jsonb_build_array(jsonb_build_object(
      'id', tests.id('kept'), 'slug', 'kept', 'title', 'kept', 'status', 'active')), 'podcast_count', 1)),
  'delete_account names the podcasts that the caller owns');
select tests.act_as('postgres');
select tests.podcast('many ' || n, 'many') from generate_series(1, 21) n;
update public.podcasts set created_at = now() - interval '1 day' where id = tests.id('many 21');
select tests.act_as('many');
create temp table refused as select split_part(tests.describe_error('select public.delete_account()'), ' / ', 4)::jsonb
  as detail;
select is((select (jsonb_array_length(detail -> 'podcasts'), detail ->> 'podcast_count')::text from refused), '(20,21)',
  'delete_account names 20 podcasts and counts all');
select is((select detail #>> '{podcasts,0,title}' from refused), 'many 21',
  'delete_account names the oldest podcast first');
select tests.act_as('postgres');
select tests.set_status('kept', 'pending_deletion');
select is(pg_temp.delete_as('kim'), 'PT409', 'delete_account counts a podcast pending deletion');
select is((select count(*) from auth.users where id = tests.id('kim')), 1::bigint,
  'delete_account keeps the user when it returns 409');

-- An external podcast whose rows the worker has not deleted yet
select tests.podcast('abroad', 'ada', 'external');
select tests.value_as('ada', $$ select public.delete_podcast(tests.id('abroad'), 'abroad') $$);
select is(pg_temp.delete_as('ada'), 'ok 1', 'delete_account deletes an external podcast whose deletion was requested');
select is_empty($$ select from public.podcasts where id = tests.id('abroad') $$,
  'delete_account leaves no row of an external podcast');

-- What the account leaves behind: an episode, roster and credit, chat, invitations, an offer, an import, artwork
select tests.act_as('ana');
insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Made by Ana');
select tests.act_as('postgres');
select tests.remember('made', id) from public.episodes where title = 'Made by Ana';
select tests.upload_audio('made');
update public.episodes set status = 'published' where id = tests.id('made');
select tests.act_as('ana');
insert into public.episode_messages (episode_id, body) values (tests.id('pilot'), 'See you at nine');
select tests.act_as('postgres');
select tests.invitation('show', 'new@test.example', 'ana'), tests.invitation('other', 'ana@test.example', 'otto'),
  tests.transfer('show', 'ana');
select tests.guest('ana', 'pilot', 'active'), tests.guest_with_token('gus', 'pilot', 'active');
update private.guest_invitations set invited_by = tests.id('ana'), message = 'Come in';
select tests.import('import', 'show', 'failed');
update public.podcast_imports set created_by = tests.id('ana');
insert into private.media_objects (path, account_id, usage, bytes, content_type)
values (format('imports/%s/a.png', tests.id('ana')), tests.id('ana'), 'temporary', 10, 'image/png');
select private.notify('podcast.transfer_accepted', private.user_recipients(tests.id(recipient)),
  jsonb_build_object('user_id', tests.id(recipient), 'actor_id', tests.id(actor)))
from (values ('ana', 'ola'), ('vic', 'ana')) v (recipient, actor);
insert into auth.identities (provider_id, provider, user_id, identity_data)
values ('ana', 'email', tests.id('ana'), '{}');
insert into auth.sessions (id, user_id) values (tests.id('ana'), tests.id('ana'));
insert into auth.refresh_tokens (token, user_id, session_id) values ('t', tests.id('ana'), tests.id('ana'));
create temp table before as select e.* from public.episodes e where e.id = tests.id('made');
select tests.empty_queue('feed_invalidation');
insert into private.subscriptions (user_id, stripe_customer_id) values (tests.id('ana'), 'cus_ana');

select tests.act_as('ana');
select is(tests.error_of($$ select private.delete_account(now() + interval '10 minutes') $$),
  'PT403 REAUTHENTICATION_REQUIRED', 'delete_account returns 403 ten minutes after the sign-in');
select is(public.delete_account(), jsonb_build_object('id', tests.id('ana')), 'delete_account returns the user''s id');
select tests.act_as('postgres');
select is(
  (select count(*) from auth.users where id = tests.id('ana'))
    + (select count(*) from auth.identities) + (select count(*) from auth.sessions)
    + (select count(*) from auth.refresh_tokens), 0::bigint,
  'delete_account deletes the user with identities, sessions and refresh tokens');
select is((select count(*) from public.profiles where id = tests.id('ana'))
  + (select count(*) from public.billing_accounts where user_id = tests.id('ana'))
  + (select count(*) from public.podcast_members where user_id = tests.id('ana'))
  + (select count(*) from public.podcast_transfers), 0::bigint,
  'delete_account deletes profile, billing account, memberships and offers');
select is((select to_jsonb(e) - '{created_by,updated_at}'::text[] from public.episodes e where e.id = tests.id('made')),
  (select to_jsonb(b) - '{created_by,updated_at}'::text[] from before b),
  'delete_account keeps an episode of another owner with its audio');
select is((select created_by from public.episodes where id = tests.id('made')), null,
  'an episode loses the id of its deleted creator');
select is((select s.user_id from private.subscriptions s where s.stripe_customer_id = 'cus_ana'), null,
  'delete_account keeps the subscription, which the worker cancels');
select is((select count(*) from tests.queued('billing_sync')), 1::bigint,
  'delete_account enqueues the cancellation of the subscription');
select is_empty($$ select tests.queued('feed_invalidation') $$, 'delete_account invalidates no feed of another owner');
select is((select (p.source_type, p.user_id, p.name, c.name, c.role_label)::text from public.episode_people p
  join public.episode_credits c on c.id = p.credit_id where p.episode_id = tests.id('made')),
  '(external,,Ana,Ana,Host)', 'roster and credits keep the name of a deleted account');
select is((select (m.sender_user_id, m.sender_name, m.body)::text from public.episode_messages m),
  '(,Ana,"See you at nine")', 'the chat keeps the messages of a deleted account under its name');
select is(public.list_guest_messages('gus') #> '{data,0,sender}',
  '{"type": "member", "name": "Ana", "avatarUrl": null}', 'list_guest_messages returns the name of a deleted account');
select is((select (i.status, i.invited_by, i.inviter_name)::text from public.podcast_invitations i
  where i.email = 'new@test.example'), '(withdrawn,,Ana)',
  'an open invitation that a deleted account sent is withdrawn and keeps the name');
select is((select i.status::text from public.podcast_invitations i where i.email = 'ana@test.example'), 'pending',
  'an invitation to the address of a deleted account stays open for a new account');
select is((select (g.user_id, g.email)::text from public.podcast_guests g where g.display_name = 'Ana'),
  '(,ana@test.example)', 'a podcast keeps its guest without the deleted account');
select is((select (i.invited_by, i.message)::text from private.guest_invitations i), '(,"Come in")',
  'an invitation of a guest stays without the deleted account');
select is((select (i.created_by, i.status)::text from public.podcast_imports i), '(,failed)',
  'an import stays without the deleted account');
select is(
  (select (m.account_id, m.released_at is not null)::text from private.media_objects m where m.usage = 'temporary'),
  '(,t)', 'delete_account releases imported artwork');
select is((select count(*) from tests.queued('storage_gc') q
  where q -> 'paths' ? format('imports/%s/a.png', tests.id('ana'))), 1::bigint,
  'delete_account enqueues the deletion of imported artwork');
select results_eq($$ select payload ->> 'user_id', payload -> 'actor_id' from private.events
  where type = 'podcast.transfer_accepted' $$, $$ values (tests.id('vic')::text, 'null'::jsonb) $$,
  'events for a deleted account are deleted, events of other users lose the account''s id');
select is(pg_temp.delete_as('ana'), 'PT404', 'delete_account returns 404 to the token of a deleted account');

-- Others
select is(pg_temp.delete_as('early'), 'ok 1', 'an unconfirmed user can be deleted by the user');
select tests.member('max', 'show', 'admin'), tests.person('gail'), tests.guest('gail', 'made', 'active');
select tests.act_as('max');
insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Made by Max');
insert into public.episode_messages (episode_id, body) values (tests.id('pilot'), 'Over and out');
select tests.act_as('postgres');
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.delete_as(who), 'ok 1',
  format('delete_account deletes the account of %s of a podcast pending deletion', role))
from (values ('vic', 'a member'), ('max', 'an author and sender'), ('gail', 'a guest')) v (who, role);
select is((select g.user_id from public.podcast_guests g where g.email = 'gail@test.example'), null,
  'delete_account unlinks a guest of a podcast pending deletion');
select is((select (e.created_by, m.sender_user_id, m.sender_name)::text
  from public.episodes e, public.episode_messages m where e.title = 'Made by Max' and m.body = 'Over and out'),
  '(,,Max)', 'delete_account keeps episodes and messages of a podcast pending deletion');
update auth.users set email = null, email_confirmed_at = null where id = tests.id('otto');
select is(pg_temp.delete_as('otto'), 'PT409', 'delete_account rejects an owner without an email');

-- A new account with the address
select tests.person('ana again');
update auth.users set email = 'ana@test.example' where id = tests.id('ana again');
select is(tests.result_of('ana again', $$ select from public.podcasts where id = tests.id('show') $$), 'ok 0',
  'a new account with the address of a deleted one is not on its teams');
select is((select g.user_id from public.podcast_guests g where g.email = 'ana@test.example'), tests.id('ana again'),
  'a new account with the address of a deleted one is linked to its guests');
select tests.act_as('ana again');
select is((public.accept_podcast_invitation(tests.id('other/ana@test.example'))).role::text, 'member',
  'a new account with the address of a deleted one can accept its open invitation');

select * from tests.finish();
rollback;
