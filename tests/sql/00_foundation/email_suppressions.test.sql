-- Suppressed email addresses
begin;
select tests.start();

select is(private.is_email_suppressed('gus@guests.test', 'chat.message'), false,
  'is_email_suppressed is false for an address without suppressions');
select private.suppress_email(private.email_digest('Gus@Guests.test '), 'unsubscribed', 'chat.message');
select is(private.is_email_suppressed('gus@guests.test', 'chat.message'), true,
  'suppress_email stops emails of a type, however the address is written');
select is(private.is_email_suppressed('gus@guests.test', 'guest.accepted'), false,
  'suppress_email of a type does not stop emails of other types');
select is(private.is_email_suppressed('gus@guests.test'), false,
  'suppress_email of a type does not stop emails without a type');
select private.suppress_email(private.email_digest('gus@guests.test'), 'bounce', detail => repeat('x', 2000));
select private.suppress_email(private.email_digest('gus@guests.test'), 'complaint');
select is(private.is_email_suppressed('gus@guests.test'), true, 'suppress_email without a type stops all emails');
select is(private.is_email_suppressed('gus@guests.test', 'guest.accepted'), true,
  'suppress_email without a type stops emails of each type');
select is(private.is_email_suppressed('eve@guests.test'), false, 'suppress_email does not stop emails to others');
select private.suppress_email(private.email_digest('gus@guests.test'), 'bounce', detail => 'again',
  at => now() + interval '1 day');
select results_eq($$ select reason, char_length(detail), created_at from private.email_suppressions
    where type is null order by reason $$, $$ values ('bounce', 1000, now()), ('complaint', null, now()) $$,
  'suppress_email keeps each reason with its first time, and at most 1,000 characters of detail');
select lives_ok($$ select private.suppress_email(null, 'bounce') $$, 'suppress_email ignores an unknown address');
select is((select count(*) from private.email_suppressions), 3::bigint,
  'suppress_email writes one row per address, type and reason');
select is_empty($$ select from private.email_suppressions s where s::text ilike '%gus%' $$,
  'private.email_suppressions holds no addresses');
select throws_ok($$ select private.suppress_email(private.email_digest('gus@guests.test'), 'whim', 'x.y') $$,
  '23514', null, 'suppress_email rejects an unknown reason');
select * from tests.finish();
rollback;
