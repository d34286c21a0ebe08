-- unsubscribe_email: emails of one type are turned off, or on again, for the recipient of an email.
begin;
select tests.start();
select tests.person('ola'), tests.person('eve');
select tests.sent_email(t.type, 'ola', t.type) from notification_types t;
create function pg_temp.send(token text, undo boolean default false, who text default 'anon') returns jsonb
  language sql as
  $$ select tests.value_as(who, format('select public.unsubscribe_email(%L, %L)', token, undo))::jsonb $$;
create function pg_temp.preferences(who text) returns jsonb language sql as
  $$ select to_jsonb(p) - 'updated_at' from notification_preferences p where p.user_id = tests.id(who) $$;
create function pg_temp.error_of(token text) returns text language sql as
  $$ select tests.describe_error(format('select private.unsubscribe_email(%L)', token)) $$;
create function pg_temp.invalid() returns text language sql as
  $$ select 'PT404 / This link is unknown or has expired; change your notification settings in the app'::text $$;

-- Tokens
select is(pg_temp.error_of(token), pg_temp.invalid(), 'unsubscribe_email rejects ' || what) from (values
  ('an unknown token', 'chat.message'), ('an empty token', ''), ('null', null),
  ('a token for opening', 'chat.message open'), ('a token for clicks', 'chat.message click'),
  ('a token of 100,000 characters', repeat('x', 100000))) v (what, token);
select is(tests.describe_error($$ select private.unsubscribe_email('chat.message unsubscribe',
  at => now() + interval '90 days') $$), pg_temp.invalid(), 'unsubscribe_email rejects an expired token');

-- Users: exactly the mapped column of each type
update notification_preferences set email_episode_published = true, email_guest_accepted = true,
  email_guest_declined = true;
create temp table before as select pg_temp.preferences('ola') as preferences;
create temp table changes as
  select t.type, t.preference, not t.is_essential and 'email' = any (t.channels) as can_change,
    tests.result_of('anon', format('select public.unsubscribe_email(%L)', t.type || ' unsubscribe')) as off,
    pg_temp.preferences('ola') as after_off,
    tests.result_of('anon', format('select public.unsubscribe_email(%L, true)', t.type || ' unsubscribe')) as turned_on,
    pg_temp.preferences('ola') as after_on
  from notification_types t;
select is(after_off, preferences || jsonb_build_object('email_' || preference, false),
  format('unsubscribe_email turns off email_%s alone for %s', preference, type)) from changes, before where can_change;
select is(after_on, preferences, format('unsubscribe_email with undo turns on email_%s', preference))
from changes, before where can_change;
select results_eq($$ select type, off, turned_on, after_off = preferences from changes, before where not can_change
    order by type $$,
  $$ values ('automation.address_requested', 'PT404', 'PT404', true), ('automation.email', 'PT404', 'PT404', true),
    ('billing.payment_failed', 'PT404', 'PT404', true), ('billing.plan_reduced', 'PT404', 'PT404', true),
    ('billing.subscription_ending', 'PT404', 'PT404', true), ('booking.declined', 'PT404', 'PT404', true),
    ('guest.invited', 'PT404', 'PT404', true), ('podcast.deleted', 'PT404', 'PT404', true),
    ('podcast.deletion_near', 'PT404', 'PT404', true), ('podcast.deletion_scheduled', 'PT404', 'PT404', true),
    ('podcast.member_invited', 'PT404', 'PT404', true), ('podcast.redirect_changed', 'PT404', 'PT404', true),
    ('podcast.redirect_failing', 'PT404', 'PT404', true) $$,
  'unsubscribe_email returns 404 for types whose email cannot be turned off');
select is(pg_temp.preferences('eve') -> 'email_chat_message', 'true', 'unsubscribe_email changes no other user');

select is(pg_temp.send('chat.message unsubscribe'), jsonb_build_object('type', 'chat.message', 'scope', 'type',
  'isSubscribed', false, 'state', 'off', 'emails', 'chat_message', 'podcastTitle', null, 'locale', 'en'),
  'unsubscribe_email returns type, state and kind of emails');
select is(pg_temp.send('chat.message unsubscribe', who => 'eve') -> 'isSubscribed', 'false',
  'unsubscribe_email is safe to repeat, by another signed-in user as well');
select is(pg_temp.preferences('eve') -> 'email_chat_message', 'true',
  'unsubscribe_email changes the recipient, not the caller');
update profiles set locale = 'de-AT' where id = tests.id('ola');
select is(pg_temp.send('chat.message unsubscribe', true), '{"type": "chat.message", "scope": "type",
  "isSubscribed": true, "state": "on", "emails": "chat_message", "podcastTitle": null, "locale": "de-AT"}',
  'unsubscribe_email with undo returns the recipient''s locale');
select private.suppress_email(private.email_digest('ola@test.example'), 'complaint');
select is(pg_temp.send('chat.message unsubscribe', true), '{"type": "chat.message", "scope": "type",
  "isSubscribed": false, "state": "blocked", "emails": "chat_message", "podcastTitle": null, "locale": "de-AT"}',
  'unsubscribe_email with undo says that a complaint still stops the emails');
select is((select reason from private.email_suppressions), 'complaint',
  'unsubscribe_email with undo lifts no complaint');
delete from private.email_suppressions;

-- Guests and addresses: a suppression of the type
select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.guest('gus', 'pilot'),
  tests.guest('eve', 'pilot');
update podcasts set language = 'de' where id = tests.id('show');
update profiles set locale = 'en' where id = tests.id('eve');
select tests.sent_email('to gus', 'pilot/gus'), tests.sent_email('to eve', 'pilot/eve'),
  tests.sent_email('invited', 'pilot/eve', 'podcast.member_invited'),
  tests.sent_email('to ann', 'ann@test.example', 'automation.email');
create function pg_temp.suppressed() returns text language sql as
  $$ select string_agg(concat_ws(' ', v.name, s.type, s.reason), ', ' order by v.name)
     from private.email_suppressions s join (values ('gus'), ('eve'), ('ann')) v (name)
       on s.digest = private.email_digest(v.name || '@test.example') $$;
select is(pg_temp.send('to gus unsubscribe') ->> 'locale', 'de',
  'unsubscribe_email returns the language of the podcast for a guest without account');
select is(pg_temp.suppressed(), 'gus chat.message unsubscribed',
  'unsubscribe_email suppresses emails of the type to the guest''s address');
select is(pg_temp.send('to eve unsubscribe') ->> 'locale', 'en',
  'unsubscribe_email returns the locale of the guest''s account');
select is(pg_temp.preferences('eve') -> 'email_chat_message', 'false',
  'unsubscribe_email of a guest''s email turns off the preference of the guest''s account');
select is(pg_temp.suppressed(), 'gus chat.message unsubscribed',
  'unsubscribe_email suppresses no email to a guest with an account, whose settings would not show it');
select private.suppress_email(private.email_digest('eve@test.example'), 'unsubscribed', 'chat.message');
select is(pg_temp.send('to eve unsubscribe', true) -> 'isSubscribed', 'true',
  'unsubscribe_email with undo tells a guest with an account that the emails are on');
select is(pg_temp.preferences('eve') -> 'email_chat_message', 'true',
  'unsubscribe_email with undo turns on the preference of a guest''s account');
select is(pg_temp.suppressed(), 'gus chat.message unsubscribed',
  'unsubscribe_email with undo deletes what a guest suppressed before having an account');
select is(pg_temp.error_of('invited unsubscribe'), pg_temp.invalid(),
  'unsubscribe_email returns 404 to a guest for a type whose email has no preference');
select is(pg_temp.send('to ann unsubscribe') ->> 'locale', 'en',
  'unsubscribe_email returns the locale of an address');
select pg_temp.send('to ann unsubscribe');
select is(pg_temp.suppressed(), 'ann automation.email unsubscribed, gus chat.message unsubscribed',
  'unsubscribe_email suppresses emails of the type once per address');
select is(pg_temp.send('to ann unsubscribe', true) -> 'isSubscribed', 'true',
  'unsubscribe_email with undo turns the emails of an address on');
select is(pg_temp.suppressed(), 'gus chat.message unsubscribed',
  'unsubscribe_email with undo deletes the suppression of that address alone');
select private.suppress_email(private.email_digest('ann@test.example'), 'bounce');
select is(pg_temp.send('to ann unsubscribe', true) ->> 'state', 'blocked',
  'unsubscribe_email with undo says that a bounce still stops the emails of an address');
select is(pg_temp.suppressed(), 'ann bounce, gus chat.message unsubscribed',
  'unsubscribe_email with undo lifts no bounce');

-- Automatic emails: each podcast is another sender
select tests.podcast('other', 'ola');
create function pg_temp.automatic_email(podcast text) returns void language sql as $$
  select tests.sent_email('of ' || $1, 'zoe@test.example', 'automation.email');
  update private.delivery_addresses a set podcast_id = tests.id($1), podcast_title = $1
  where a.delivery_id = tests.id('of ' || $1)
$$;
select pg_temp.automatic_email('show'), pg_temp.automatic_email('other');
-- What a page says after steps like "show off"; the last one says it
create function pg_temp.say(steps text) returns jsonb language plpgsql as $$
declare
  step   text;
  answer jsonb;
begin
  delete from private.email_suppressions s where s.digest = private.email_digest('zoe@test.example');
  foreach step in array string_to_array(steps, ', ') loop
    answer := tests.value_as('anon', format('select public.unsubscribe_email(%L, undo => %L, all_podcasts => %L)',
      format('of %s unsubscribe', split_part(step, ' ', 1)), step like '% on', step like '% all %'));
  end loop;
  return answer;
end $$;
create function pg_temp.off_podcasts() returns text language sql as $$
  select coalesce(string_agg(p, ' ' order by p), 'none') from unnest('{other,show}'::text[]) p
  where private.is_email_suppressed('zoe@test.example', 'automation.email', tests.id(p))
$$;
select is(say - '{type,locale,emails,podcastTitle}'::text[] || jsonb_build_object('off', pg_temp.off_podcasts()),
  jsonb_build_object('scope', scope, 'isSubscribed', is_on, 'state', state, 'off', off),
  format('unsubscribe_email tells scope and state after "%s"', steps))
from (values
  ('show off', 'podcast', false, 'podcast_off', 'show'),
  ('show on', 'podcast', true, 'podcast_on', 'none'),
  ('show off, show on', 'podcast', true, 'podcast_on', 'none'),
  ('show off, show all off', 'all_podcasts', false, 'all_off', 'other show'),
  ('show all off, show all on', 'podcast', true, 'all_on', 'none'),
  ('show off, show all off, show all on', 'podcast', false, 'rest_on', 'show'),
  ('show all off, other off', 'all_podcasts', false, 'all_off', 'other show'),
  ('show all off, other on', 'podcast', true, 'podcast_on', 'show'))
  v (steps, scope, is_on, state, off)
cross join lateral pg_temp.say(steps) say;
select is(pg_temp.say('show off') - '{type,locale,scope,isSubscribed,state}'::text[],
  '{"emails": "automation_email", "podcastTitle": "show"}',
  'unsubscribe_email names the podcast whose automatic emails end');
select is(pg_temp.say('show off, other off') -> 'isSubscribed', 'false',
  'unsubscribe_email ends the automatic emails of several podcasts');
select is(pg_temp.off_podcasts(), 'other show', 'unsubscribe_email ends those of each podcast');
select private.suppress_email(private.email_digest('zoe@test.example'), 'complaint');
select is(pg_temp.send('of show unsubscribe', undo) ->> 'state', state,
  format('unsubscribe_email with undo %s says "%s" after a complaint', undo, state))
from (values (false, 'podcast_off'), (true, 'blocked')) v (undo, state);
select is(pg_temp.send('of show unsubscribe') -> 'scope', '"podcast"',
  'unsubscribe_email does not say that a complaint ended the emails of all podcasts');
delete from private.email_suppressions;
delete from podcasts where id = tests.id('other');
select is(pg_temp.send('of other unsubscribe') -> 'isSubscribed', 'false',
  'unsubscribe_email accepts the link of a podcast that was deleted');
select is_empty('select from private.email_suppressions',
  'unsubscribe_email stores nothing about a podcast that was deleted');

select * from tests.finish();
rollback;
