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
select is(tests.describe_error($$ select private.unsubscribe_email('chat.message unsubscribe', false,
  now() + interval '90 days') $$), pg_temp.invalid(), 'unsubscribe_email rejects an expired token');

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
    ('podcast.member_invited', 'PT404', 'PT404', true), ('podcast.redirect_changed', 'PT404', 'PT404', true) $$,
  'unsubscribe_email returns 404 for types whose email cannot be turned off');
select is(pg_temp.preferences('eve') -> 'email_chat_message', 'true', 'unsubscribe_email changes no other user');

select is(pg_temp.send('chat.message unsubscribe'), jsonb_build_object('type', 'chat.message', 'isSubscribed', false,
  'language', 'en', 'title', 'You''re unsubscribed', 'action', 'Turn emails on',
  'message', 'We won''t send you these emails: messages about episodes. Was this a mistake, or did your email program '
    'open the link by itself? Then turn them on again.'), 'unsubscribe_email returns type, state and texts');
select is(pg_temp.send('chat.message unsubscribe', who => 'eve') -> 'isSubscribed', 'false',
  'unsubscribe_email is safe to repeat, by another signed-in user as well');
select is(pg_temp.preferences('eve') -> 'email_chat_message', 'true',
  'unsubscribe_email changes the recipient, not the caller');
update profiles set locale = 'de-AT' where id = tests.id('ola');
select is(pg_temp.send('chat.message unsubscribe', true), '{"type": "chat.message", "isSubscribed": true,
  "language": "de", "title": "Du bekommst diese E-Mails wieder", "action": "E-Mails abbestellen",
  "message": "Eingeschaltet: Nachrichten zu Folgen."}',
  'unsubscribe_email with undo returns texts in the recipient''s language');
select private.suppress_email(private.email_digest('ola@test.example'), 'complaint');
select is(pg_temp.send('chat.message unsubscribe', true), jsonb_build_object('type', 'chat.message',
  'isSubscribed', false, 'language', 'de', 'title', 'Diese E-Mails bleiben aus', 'action', null,
  'message', 'E-Mails an deine Adresse wurden abgelehnt oder als Spam gemeldet. Deshalb schicken wir dir keine. Wenn '
    'das nicht stimmt, bestätige die Adresse in deinen Einstellungen.'),
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
select is(pg_temp.send('to gus unsubscribe') - 'message', '{"type": "chat.message", "isSubscribed": false,
  "language": "de", "title": "Du bekommst diese E-Mails nicht mehr", "action": "E-Mails einschalten"}',
  'unsubscribe_email returns texts in the language of the podcast to a guest without account');
select is(pg_temp.suppressed(), 'gus chat.message unsubscribed',
  'unsubscribe_email suppresses emails of the type to the guest''s address');
select is(pg_temp.send('to eve unsubscribe') ->> 'language', 'en',
  'unsubscribe_email returns texts in the language of the guest''s account');
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
select is(pg_temp.send('to ann unsubscribe') ->> 'language', 'en',
  'unsubscribe_email returns texts in the language of an address');
select pg_temp.send('to ann unsubscribe');
select is(pg_temp.suppressed(), 'ann automation.email unsubscribed, gus chat.message unsubscribed',
  'unsubscribe_email suppresses emails of the type once per address');
select is(pg_temp.send('to ann unsubscribe', true) -> 'isSubscribed', 'true',
  'unsubscribe_email with undo turns the emails of an address on');
select is(pg_temp.suppressed(), 'gus chat.message unsubscribed',
  'unsubscribe_email with undo deletes the suppression of that address alone');
select private.suppress_email(private.email_digest('ann@test.example'), 'bounce');
select is(pg_temp.send('to ann unsubscribe', true) ->> 'title', 'These emails stay off',
  'unsubscribe_email with undo says that a bounce still stops the emails of an address');
select is(pg_temp.suppressed(), 'ann bounce, gus chat.message unsubscribed',
  'unsubscribe_email with undo lifts no bounce');

select * from tests.finish();
rollback;
