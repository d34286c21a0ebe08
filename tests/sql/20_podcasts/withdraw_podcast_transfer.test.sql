-- withdraw_podcast_transfer: the owner withdraws an offer.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.transfer('show', 'vic');

select tests.access('withdraw_podcast_transfer',
  $$ select public.withdraw_podcast_transfer(tests.id('show/transfer')) $$,
  '42501: anon; PT404: stranger ana vic; 42501: service');

select is(tests.result_of('ola', $$ select public.withdraw_podcast_transfer(tests.id('show/transfer')) $$), 'ok 1',
  'withdraw_podcast_transfer accepts the owner');
select is((select status::text from public.podcast_transfers), 'withdrawn',
  'withdraw_podcast_transfer sets the status');
select is(tests.result_of(who, format('select public.%s_podcast_transfer(tests.id(''show/transfer''))', operation)),
  'PT409', format('%s_podcast_transfer returns 409 after the withdrawal', operation))
from (values ('vic', 'accept'), ('vic', 'decline'), ('ola', 'withdraw')) v (who, operation);
select lives_ok($$ select tests.transfer('show', 'vic') $$,
  'offer_podcast_transfer accepts an offer after a withdrawal');

select * from tests.finish();
rollback;
