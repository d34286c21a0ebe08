-- cancel_deletion: the owner keeps a podcast that is pending deletion.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.set_status('show', 'pending_deletion', '2027-03-01Z');
update public.podcasts set deletion_redirect_url = 'https://new.example/feed';

select tests.access('cancel_deletion', $$ select public.cancel_deletion(tests.id('show')) $$,
  '42501: anon; PT403: stranger vic ana; 42501: service');

select tests.act_as('ola');
select is(private.cancel_deletion(tests.id('show'), '2030-01-01Z'),
  '{"status": "active", "hosting_type": "native", "paused_at": null, "pause_expires_at": null,
    "last_pause_ended_at": null, "can_pause": false, "is_paid_plan": false, "next_pause_available_at": null,
    "deletion_requested_at": null, "deletion_redirect_url": null, "deletion_scheduled_at": null,
    "feed_redirect_url": null, "redirect_starts_at": null, "redirect_check": null}',
  'cancel_deletion returns the lifecycle resource of the active podcast, also past deletion_scheduled_at');
select is(tests.describe_error($$ select public.cancel_deletion(tests.id('show')) $$),
  'PT409 / The podcast is active; it is not scheduled for deletion / INVALID_PODCAST_STATUS',
  'cancel_deletion names the status active');
select tests.act_as('postgres');
select is((select payload from private.events where type = 'podcast.deletion_canceled'),
  jsonb_build_object('podcast_id', tests.id('show'), 'actor_id', tests.id('ola'), 'status', 'active'),
  'cancel_deletion records the event podcast.deletion_canceled');
select tests.set_status('show', 'paused', '2027-01-10Z');
select tests.act_as('ola');
select is(tests.describe_error($$ select public.cancel_deletion(tests.id('show')) $$),
  'PT409 / The podcast is paused; it is not scheduled for deletion / INVALID_PODCAST_STATUS',
  'cancel_deletion names the status paused');

-- Messages of the deletion
select tests.act_as('postgres');
select tests.podcast('other', 'ola'), tests.set_status('show', 'active'), tests.empty_queue('podcast_deletions');
select tests.set_status(name, 'pending_deletion', now() - interval '90 days') from unnest('{show,other}'::text[]) name;
select private.enqueue_due_deletions();
select private.fail_job('podcast_deletions', j.msg_id, 'x', _is_permanent => true)
from private.claim_jobs('podcast_deletions', 2, 60) j;
select private.enqueue('podcast_deletions', jsonb_build_object('podcast_id', tests.id(name)))
from unnest('{show,other}'::text[]) name;
select private.enqueue('feed_invalidation', jsonb_build_object('podcast_id', tests.id('show')));
select tests.act_as('ola');
select public.cancel_deletion(tests.id('show'));
select tests.act_as('postgres');
select results_eq($$ select message ->> 'podcast_id' from pgmq.q_podcast_deletions
    union all select message #>> '{message,podcast_id}' from pgmq.q_podcast_deletions_dlq $$,
  $$ select tests.id('other')::text from generate_series(1, 2) $$,
  'cancel_deletion deletes the message and the dead letter of the deletion, and those of no other podcast');
select isnt_empty($$
  select from pgmq.q_feed_invalidation where message ->> 'podcast_id' = tests.id('show')::text $$,
  'cancel_deletion keeps the podcast''s messages in other queues');
select tests.set_status('show', 'pending_deletion', now() - interval '90 days');
select is(private.enqueue_due_deletions(), 1,
  'enqueue_due_deletions enqueues a podcast whose earlier deletion failed and was canceled');
select tests.set_status('show', 'active'), tests.set_status('show', 'paused', '2027-01-10Z');

-- A podcast that was paused: its pause expires on 2027-04-10
select tests.act_as('postgres');
select tests.set_status('show', 'pending_deletion', '2027-03-01Z');
select tests.act_as('ola');
select is(private.cancel_deletion(tests.id('show'), '2027-04-09 23:59:59Z') - '{can_pause,is_paid_plan}'::text[],
  '{"status": "paused", "hosting_type": "native", "paused_at": "2027-01-10T00:00:00.000Z",
    "pause_expires_at": "2027-04-10T00:00:00.000Z", "last_pause_ended_at": null, "next_pause_available_at": null,
    "deletion_requested_at": null, "deletion_redirect_url": null, "deletion_scheduled_at": null,
    "feed_redirect_url": null, "redirect_starts_at": null, "redirect_check": null}',
  'cancel_deletion restores a pause that has not expired');
select tests.act_as('postgres');
select tests.set_status('show', 'pending_deletion', '2027-03-01Z');
select tests.act_as('ola');
select is(private.cancel_deletion(tests.id('show'), '2027-04-10Z') - '{can_pause,is_paid_plan}'::text[],
  '{"status": "active", "hosting_type": "native", "paused_at": null, "pause_expires_at": null,
    "last_pause_ended_at": "2027-04-10T00:00:00.000Z", "next_pause_available_at": "2028-04-10T00:00:00.000Z",
    "deletion_requested_at": null, "deletion_redirect_url": null, "deletion_scheduled_at": null,
    "feed_redirect_url": null, "redirect_starts_at": null, "redirect_check": null}',
  'cancel_deletion ends a pause that expired during the window at its expiry');
select tests.act_as('postgres');
select tests.set_status('show', 'pending_deletion', '2027-05-01Z');
select tests.act_as('ola');
select is(private.cancel_deletion(tests.id('show'), '2027-05-02Z') ->> 'last_pause_ended_at',
  '2027-04-10T00:00:00.000Z', 'cancel_deletion keeps last_pause_ended_at of an active podcast');

select * from tests.finish();
rollback;
