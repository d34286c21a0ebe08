-- Suppressed email addresses
begin;
select tests.start();

select is(private.is_email_suppressed('gus@guests.test', 'chat.message'), false,
  'is_email_suppressed is false for an address without suppressions');
select private.suppress_email('Gus@Guests.test ', 'unsubscribed', 'chat.message');
select is(private.is_email_suppressed('gus@guests.test', 'chat.message'), true,
  'suppress_email stops emails of a type, however the address is written');
select is(private.is_email_suppressed('gus@guests.test', 'guest.accepted'), false,
  'suppress_email of a type does not stop emails of other types');
select is(private.is_email_suppressed('gus@guests.test'), false,
  'suppress_email of a type does not stop emails without a type');
select private.suppress_email('gus@guests.test', 'bounce', detail => repeat('x', 2000));
select private.suppress_email('gus@guests.test', 'complaint');
select is(private.is_email_suppressed('gus@guests.test'), true, 'suppress_email without a type stops all emails');
select is(private.is_email_suppressed('gus@guests.test', 'guest.accepted'), true,
  'suppress_email without a type stops emails of each type');
select is(private.is_email_suppressed('eve@guests.test'), false, 'suppress_email does not stop emails to others');
select results_eq($$ select reason, char_length(detail) from private.email_suppressions where type is null $$,
  $$ values ('bounce', 1000) $$, 'suppress_email keeps the first reason, with at most 1,000 characters of detail');
select is_empty($$ select from private.email_suppressions s where s::text ilike '%gus%' $$,
  'private.email_suppressions holds no addresses');
select throws_ok($$ select private.suppress_email('gus@guests.test', 'whim', 'x.y') $$, '23514', null,
  'suppress_email rejects an unknown reason');
select * from tests.finish();
rollback;
