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

-- One podcast, and all
select tests.podcast('show', 'ola'), tests.podcast('other', 'otto');
create function pg_temp.suppressed() returns text language sql as $$
  select coalesce(string_agg(v.name, ' ' order by v.name), 'none')
  from (values ('show', tests.id('show')), ('other', tests.id('other')), ('no podcast', null)) v (name, id)
  where private.is_email_suppressed('eve@guests.test', 'automation.email', v.id)
$$;
create function pg_temp.after(steps text) returns text language plpgsql as $$
declare
  step   text;
  digest constant bytea := private.email_digest('eve@guests.test');
begin
  delete from private.email_suppressions s where s.digest = private.email_digest('eve@guests.test');
  foreach step in array string_to_array(steps, ', ') loop
    if step like '% off' then
      perform private.suppress_email(digest, 'unsubscribed', 'automation.email', podcast_id =>
        case when step <> 'all off' then tests.id(split_part(step, ' ', 1)) end);
    else
      perform private.lift_unsubscription(digest, 'automation.email',
        case when step <> 'all on' then tests.id(split_part(step, ' ', 1)) end);
    end if;
  end loop;
  return pg_temp.suppressed();
end $$;
select is(pg_temp.after(steps), expected, format('after "%s" these emails are suppressed: %s', steps, expected))
from (values ('show off', 'show'), ('show off, show off, show on', 'none'), ('show off, other on', 'show'),
  ('all off', 'no podcast other show'), ('all off, all off, all on', 'none'),
  ('all off, show on', 'no podcast other'), ('show off, all off, show on', 'no podcast other'),
  ('all off, show on, show off', 'no podcast other show'), ('all off, show on, all off', 'no podcast other show'),
  ('show off, all off, all on', 'show'), ('all off, show on, all on', 'none'),
  ('all off, show on, all on, all off', 'no podcast other show'), ('show on', 'none')) v (steps, expected);
select pg_temp.after('all off, show on');
select is(private.is_email_suppressed('eve@guests.test', 'automation.address_requested', tests.id('other')), false,
  'what a person ended for one type stops no other type');
select private.suppress_email(private.email_digest('eve@guests.test'), 'bounce');
select is(pg_temp.suppressed(), 'no podcast other show', 'a bounce stops the emails of a podcast that a person wants');
select is(tests.error_of($$ insert into private.email_suppressions (digest, podcast_id, type, reason, is_lifted)
    select private.email_digest('a@b.test'), podcast_id, type, reason, is_lifted from (values
    (tests.id('show'), null, 'unsubscribed', false)) v (podcast_id, type, reason, is_lifted) $$), '23514',
  'a suppression of one podcast names a type');
select is(tests.error_of($$ insert into private.email_suppressions (digest, type, reason, is_lifted)
    values (private.email_digest('a@b.test'), 'automation.email', 'unsubscribed', true) $$), '23514',
  'only the suppression of one podcast can be lifted and stay');
select pg_temp.after('show off');
delete from podcasts where id = tests.id('show');
select is_empty($$ select from private.email_suppressions s where s.podcast_id is not null $$,
  'the deletion of a podcast deletes its suppressions');

select * from tests.finish();
rollback;
