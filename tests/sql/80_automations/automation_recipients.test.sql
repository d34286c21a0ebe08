-- automation_recipients: to whom send_email sends, and who is left out with which reason.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.podcast('other', 'otto'), tests.open_link('open', 'show');
select tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.guest(name, 'pilot', status::episode_guest_status)
from (values ('abe', 'active'), ('bea', 'declined'), ('cid', 'invited'), ('dan', 'removed')) v (name, status);
insert into automation_addresses (podcast_id, email, confirmed_at) values
  (tests.id('show'), 'press@news.test', now()), (tests.id('show'), 'new@news.test', null);
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus');

create function pg_temp.recipients(target text, booking text default '', episode text default 'pilot',
  guest text default '') returns text language sql as $$
  select coalesce(string_agg(concat_ws(' ', split_part(r.email, '@', 1), r.skip_reason,
    case when r.is_guest then 'guest' end, case when not r.has_agreed then 'unverified' end), ', ' order by r.email),
    'none')
  from private.automation_recipients(
    private.automation_context(tests.id('show'), case when booking <> '' then tests.id(booking) end,
      case when episode <> '' then tests.id(episode) end, now())
    || case when guest = '' then '{}' else jsonb_build_object('episode_guest_id', tests.id(guest)) end, target) r
$$;

-- Guests of an episode
select is(pg_temp.recipients('guest'), 'abe guest, bea declined guest',
  'automation_recipients has the guests of an episode who accepted, and those who declined with the reason');
select is(pg_temp.recipients('guest', episode => 'second'), 'none',
  'automation_recipients has no guests of an episode without any');
select is(pg_temp.recipients('guest', guest => 'pilot/' || who), expected,
  format('automation_recipients of an occurrence that is about the guest %s: %s', who, expected))
from (values ('abe', 'abe guest'), ('bea', 'bea declined guest'), ('cid', 'none'), ('dan', 'none')) v (who, expected);
select is(pg_temp.recipients(who || '@test.example'), expected,
  format('automation_recipients of the address of a guest who %s: %s', what, expected))
from (values ('abe', 'abe guest', 'accepted'), ('bea', 'bea declined guest', 'declined'),
  ('cid', 'cid declined guest', 'did not answer'), ('dan', 'dan declined guest', 'was removed'))
  v (who, expected, what);
select tests.guest('bea', 'second', 'active');
select is(pg_temp.recipients('bea@test.example'), 'bea guest',
  'automation_recipients of the address of a guest who declined one invitation and accepted another: bea');
select is(pg_temp.recipients('guest'), 'abe guest, bea declined guest',
  'automation_recipients counts what a guest answered for the episode');
update episode_guests set status = 'removed' where id = tests.id('second/bea');
select is(pg_temp.recipients('bea@test.example'), 'bea declined guest',
  'automation_recipients leaves out a guest whose only accepted invitation ended');

-- The guest of a booking
create function pg_temp.invite(answer text) returns void language plpgsql as $$
begin
  insert into podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'Gus', 'gus@guests.example')
  on conflict do nothing;
  insert into episode_guests as e (episode_id, podcast_guest_id, status)
  select tests.id('pilot'), g.id, 'invited' from podcast_guests g where g.email = 'gus@guests.example'
  on conflict (episode_id, podcast_guest_id) do update set status = 'invited' where e.status <> 'active';
  update episode_guests e set status = answer::episode_guest_status from podcast_guests g
  where g.id = e.podcast_guest_id and g.email = 'gus@guests.example' and e.status::text <> answer;
end $$;
select is(pg_temp.recipients('guest', 'first'), 'gus guest unverified',
  'automation_recipients has the guest of a booking alone, who may be unverified');
select is(pg_temp.recipients('guest', 'first'), expected,
  format('automation_recipients has an unverified guest of a booking who %s an invitation: %s', answer, expected))
from (values ('invited', 'gus guest unverified'), ('declined', 'gus declined guest unverified'),
  ('removed', 'gus declined guest unverified')) v (answer, expected)
cross join lateral (select pg_temp.invite(answer)) i;
select private.verify_guest_booking(tests.booking_token('first'));
select is(pg_temp.recipients('guest', 'first'), 'gus guest',
  'automation_recipients has a guest who verified the booking, even after declining an invitation');

-- Suppressions
create function pg_temp.with_suppression(email text, target text, reason text, podcast text, booking text default '',
  type text default 'automation.email') returns text language plpgsql as $$
declare
  outcome text;
begin
  perform private.suppress_email(private.email_digest(email), reason,
    case when reason = 'unsubscribed' then with_suppression.type end,
    podcast_id => case when podcast <> 'all' then tests.id(podcast) end);
  outcome := pg_temp.recipients(target, booking);
  delete from private.email_suppressions;
  return outcome;
end $$;
select is(pg_temp.with_suppression(email, target, reason, podcast, booking), expected,
  format('automation_recipients(%s) with %s (%s): %s', target, reason, podcast, expected))
from (values
  ('press@news.test', 'press@news.test', 'unsubscribed', 'show', '', 'press unsubscribed'),
  ('press@news.test', 'press@news.test', 'unsubscribed', 'all', '', 'press unsubscribed'),
  ('press@news.test', 'press@news.test', 'unsubscribed', 'other', '', 'press'),
  ('press@news.test', 'press@news.test', 'bounce', 'all', '', 'press bounced'),
  ('press@news.test', 'press@news.test', 'complaint', 'all', '', 'press suppressed'),
  ('gus@guests.example', 'guest', 'unsubscribed', 'show', 'first', 'gus unsubscribed guest'),
  ('mel@test.example', 'team', 'unsubscribed', 'show', '', 'ada, mel unsubscribed, ola'),
  ('bea@test.example', 'guest', 'bounce', 'all', '', 'abe guest, bea declined guest'))
  v (email, target, reason, podcast, booking, expected);
select is(pg_temp.with_suppression('press@news.test', 'press@news.test', 'unsubscribed', 'all',
  type => 'automation.address_requested'), 'press', 'automation_recipients ignores what ended other types of emails');
select private.suppress_email(private.email_digest('press@news.test'), reason, type)
from (values ('unsubscribed', 'automation.email'), ('complaint', null), ('bounce', null)) v (reason, type);
select is(pg_temp.recipients('press@news.test'), 'press bounced',
  'automation_recipients names the strongest of several reasons');

-- One email per address
insert into podcast_guests (podcast_id, display_name, email)
values (tests.id('show'), 'Mel', 'mel@test.example'), (tests.id('show'), 'Gus', 'ola@test.example')
on conflict do nothing;
insert into episode_guests (episode_id, podcast_guest_id, status)
select tests.id('second'), g.id, 'declined' from podcast_guests g where g.email = 'mel@test.example';
insert into automation_addresses (podcast_id, email, confirmed_at) values (tests.id('show'), 'mel@test.example', now()),
  (tests.id('show'), 'bea@test.example', now());
select is(pg_temp.recipients('mel@test.example'), 'mel',
  'automation_recipients has a member once, who is a confirmed address and declined an invitation, too');
select is(pg_temp.recipients('bea@test.example'), 'bea',
  'automation_recipients has a guest who declined and later confirmed the address');
select is(pg_temp.recipients('new@news.test'), 'none', 'automation_recipients has no address that is not confirmed');
select is(pg_temp.recipients('ola@test.example'), 'ola',
  'automation_recipients has no reason for a guest who was not invited');

select * from tests.finish();
rollback;
