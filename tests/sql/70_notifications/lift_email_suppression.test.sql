-- lift_email_suppression: the service lets emails to an address be sent again.
begin;
select tests.start();
select tests.person('ola');
select private.suppress_email(private.email_digest('ann@test.example'), 'complaint', at => '2026-01-02Z'),
  private.suppress_email(private.email_digest('ann@test.example'), 'unsubscribed', 'chat.message', at => '2026-01-01Z'),
  private.suppress_email(private.email_digest('bob@test.example'), 'bounce', detail => 'General: user unknown',
    at => '2026-01-03Z');
select tests.podcast('show', 'ola');

create function pg_temp.lift(email text) returns jsonb language sql as
  $$ select tests.value_as('service', format('select public.lift_email_suppression(%L)', email))::jsonb $$;
select is(pg_temp.lift(' Ann@Test.example'), '[{"type": "chat.message", "podcastId": null,
    "reason": "unsubscribed", "detail": null, "createdAt": "2026-01-01T00:00:00.000Z"},
  {"type": null, "podcastId": null, "reason": "complaint", "detail": null, "createdAt": "2026-01-02T00:00:00.000Z"}]',
  'lift_email_suppression returns the suppressions of an address in any case, the oldest first');
select is(private.is_email_suppressed('ann@test.example', 'chat.message'), false,
  'lift_email_suppression lifts every suppression of the address');
select is(private.is_email_suppressed('bob@test.example'), true,
  'lift_email_suppression lifts no suppression of another address');
select is(pg_temp.lift(email), '[]', format('lift_email_suppression returns an empty list for %L', email))
from unnest(array['ann@test.example', 'none@test.example', '', null]) email;
select is(pg_temp.lift('bob@test.example') #>> '{0,detail}', 'General: user unknown',
  'lift_email_suppression returns the provider''s explanation');
select private.suppress_email(private.email_digest('bob@test.example'), 'unsubscribed', 'automation.email'),
  private.lift_unsubscription(private.email_digest('bob@test.example'), 'automation.email', tests.id('show')),
  private.suppress_email(private.email_digest('ann@test.example'), 'unsubscribed', 'automation.email',
    podcast_id => tests.id('show'));
select is(pg_temp.lift('ann@test.example') #>> '{0,podcastId}', tests.id('show')::text,
  'lift_email_suppression returns the podcast whose emails a person ended');
select is(jsonb_array_length(pg_temp.lift('bob@test.example')), 1,
  'lift_email_suppression leaves out a podcast whose emails a person wants');
select is_empty('select from private.email_suppressions', 'lift_email_suppression deletes all choices of an address');

select * from tests.finish();
rollback;
