-- accept_podcast_transfer: the member becomes the owner, and agrees to the bytes that will count on their allowance.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.upload_audio('pilot', 5000), tests.transfer('show', 'vic');

select tests.access('accept_podcast_transfer', $$ select public.accept_podcast_transfer(tests.id('show/transfer')) $$,
  '42501: anon; PT404: stranger ana ola; 42501: service');

-- The podcast grew
select tests.episode('second', 'show'), tests.upload_audio('second', 300);
select tests.act_as('vic');
select is(public.accept_podcast_transfer(tests.id('show/transfer')), jsonb_build_object('code', 'PT409',
    'message', 'The podcast has grown since it was offered; check storage_bytes and accept again',
    'hint', 'TRANSFER_SIZE_INCREASED', 'details', '{"storage_bytes": 5300}'),
  'accept_podcast_transfer returns the new size when the podcast grew since the offer');
select is(current_setting('response.status'), '409',
  'accept_podcast_transfer returns 409 when the podcast grew since the offer');
select tests.act_as('postgres');
select is((select (storage_bytes, status)::text from public.podcast_transfers), '(5300,pending)',
  'accept_podcast_transfer keeps the offer open with the new size');

-- Accepting
update public.podcasts set owner_email = 'ola@test.example', show_owner_email = true where id = tests.id('show');
select tests.act_as('vic');
select set_config('response.status', '', true);
select is(public.accept_podcast_transfer(tests.id('show/transfer')) - '{id,created_at,updated_at}'::text[],
  jsonb_build_object('podcast_id', tests.id('show'), 'user_id', tests.id('vic'), 'offered_by', tests.id('ola'),
    'storage_bytes', 5300, 'status', 'accepted'), 'accept_podcast_transfer returns the accepted transfer');
select tests.act_as('postgres');
select is(
  (select jsonb_object_agg(i.name, m.role) from public.podcast_members m join tests.ids i on i.id = m.user_id
   where m.podcast_id = tests.id('show')), '{"ola":"admin","ana":"admin","vic":"owner"}',
  'accept_podcast_transfer makes the member the owner and the previous owner an admin');
select is((select owner_id from public.podcasts where id = tests.id('show')), tests.id('vic'),
  'accept_podcast_transfer sets owner_id');
select is(
  (select array_agg(storage_bytes_used order by user_id = tests.id('vic')) from public.billing_accounts
   where user_id in (tests.id('ola'), tests.id('vic'))),
  '{0,5300}', 'accept_podcast_transfer moves the stored bytes to the new owner''s account');
select is((select payload from private.events where type = 'podcast.transfer_accepted') - 'transfer_id',
  jsonb_build_object('podcast_id', tests.id('show'), 'user_id', tests.id('ola'), 'actor_id', tests.id('vic')),
  'accept_podcast_transfer records the event podcast.transfer_accepted for the previous owner');
select is((select (owner_email, show_owner_email)::text from public.podcasts where id = tests.id('show')), '(,f)',
  'accept_podcast_transfer clears the previous owner''s address');
select is((select r.podcast ->> 'shown_owner_email' from private.get_feed_for_rendering(tests.id('show'), 1) r), null,
  'the feed of a transferred podcast names no address');
select is((select payload from private.events where type = 'podcast.owner_email_needed'),
  jsonb_build_object('podcast_id', tests.id('show'), 'user_id', tests.id('vic')),
  'accept_podcast_transfer asks the new owner for an address');
select is((select (n.user_id = tests.id('vic'), n.title, d.channel)::text from public.notifications n
  join public.notification_deliveries d on d.notification_id = n.id where n.type = 'podcast.owner_email_needed'),
  '(t,"Add your email address to show",email)', 'the request for an address is sent by email');
select is(tests.result_of('vic', $$ select public.accept_podcast_transfer(tests.id('show/transfer')) $$), 'PT409',
  'accept_podcast_transfer returns 409 the second time');

-- The allowance: the pilot fills a free account, and Ana stores one byte
update public.episodes set audio_url = null, audio_file_size_bytes = null, audio_content_type = null,
  audio_duration_seconds = null where id = tests.id('second');
delete from private.media_objects where episode_id = tests.id('second');
update private.media_objects set bytes = 1073741824 where episode_id = tests.id('pilot');
select tests.podcast('small', 'ana'), tests.episode('short', 'small'), tests.upload_audio('short', 1);
select lives_ok($$ select tests.transfer('show', 'ana') $$,
  'offer_podcast_transfer accepts a podcast that exceeds the member''s allowance');
select is(tests.result_of('ana', $$ select from public.podcast_transfers where storage_bytes = 1073741824 $$), 'ok 1',
  'the member reads how many bytes will count on the allowance');
select is(tests.result_of('ana', $$ select public.accept_podcast_transfer(tests.id('show/transfer')) $$), 'PT409',
  'accept_podcast_transfer returns 409 over the member''s allowance');
select is((select owner_id from public.podcasts where id = tests.id('show')), tests.id('vic'),
  'accept_podcast_transfer moves nothing over the member''s allowance');
delete from public.podcasts where id = tests.id('small');
select is(tests.result_of('ana', $$ select public.accept_podcast_transfer(tests.id('show/transfer')) $$), 'ok 1',
  'accept_podcast_transfer accepts a podcast that fills the allowance to the byte');

-- Staged uploads
select tests.transfer('show', 'vic');
insert into storage.objects (bucket_id, name, metadata)
values ('staging', 'uploads/' || tests.id('show') || '/staged.mp3', '{"size": 7}');
select tests.act_as('vic');
select is(public.accept_podcast_transfer(tests.id('show/transfer')) ->> 'details', '{"storage_bytes": 1073741831}',
  'accept_podcast_transfer returns the new size when an upload was staged since the offer');
select tests.act_as('postgres');
select is(tests.result_of('vic', $$ select public.accept_podcast_transfer(tests.id('show/transfer')) $$), 'PT409',
  'accept_podcast_transfer returns 409 when stored and staged bytes exceed the member''s allowance');
select is((select owner_id from public.podcasts where id = tests.id('show')), tests.id('ana'),
  'accept_podcast_transfer moves nothing when staged bytes exceed the allowance');
update storage.objects set metadata = '{"size": 0}' where bucket_id = 'staging';
select is(tests.result_of('vic', $$ select public.accept_podcast_transfer(tests.id('show/transfer')) $$), 'ok 1',
  'accept_podcast_transfer accepts a podcast whose staged bytes fit the allowance');

select is((select count(*) from private.events where type = 'podcast.owner_email_needed'), 3::bigint,
  'accept_podcast_transfer asks each new owner for an address, whether or not the podcast had one');

select * from tests.finish();
rollback;
