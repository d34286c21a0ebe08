-- Ownership moves by a transfer, with the stored bytes.
select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.audio('pilot', 5000);
select is(tests.outcome('stranger', $$ select public.transfer_podcast(tests.id('show'), tests.id('stranger')) $$), 'PT403', 'a stranger transfers nothing');
select is(tests.outcome('ana', $$ select public.transfer_podcast(tests.id('show'), tests.id('ana')) $$), 'PT403', 'an admin does not');
select tests.act_as('ola');
select throws_ok($$ select public.transfer_podcast(tests.id('show'), tests.id('stranger')) $$, 'PT404', 'The new owner must be a member of the podcast', 'only to a member');
select is((public.transfer_podcast(tests.id('show'), tests.id('vic'))).owner_id, tests.id('vic'), 'the owner transfers');
select is((select jsonb_object_agg(i.name, m.role) from public.podcast_members m join tests.ids i on i.id = m.user_id where m.podcast_id = tests.id('show')),
  '{"ola":"admin","ana":"admin","vic":"owner"}', 'the old owner stays as an admin');
select tests.act_as('postgres');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('ola')), 0::bigint, 'the old account is freed');
select is((select storage_bytes_used from public.billing_accounts where user_id = tests.id('vic')), 5000::bigint, 'the new one is charged');
update private.media_objects set bytes = 1073741824 where podcast_id = tests.id('show');
insert into private.media_objects (path, account_id, podcast_id, purpose, bytes, content_type) values ('x', tests.id('ana'), gen_random_uuid(), 'cover', 1, 'image/png');
select is(tests.outcome('vic', $$ select public.transfer_podcast(tests.id('show'), tests.id('ana')) $$), 'PT409', 'the new owner''s allowance holds');
select is(tests.outcome('vic', $$ select public.transfer_podcast(tests.id('show'), tests.id('vic')) $$), 'ok 1', 'to oneself changes nothing');
