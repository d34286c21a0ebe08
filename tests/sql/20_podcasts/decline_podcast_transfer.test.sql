-- decline_podcast_transfer: the member declines an offer.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.transfer('show', 'vic');

select tests.access('decline_podcast_transfer', $$ select public.decline_podcast_transfer(tests.id('show/transfer')) $$,
  '42501: anon; PT404: stranger ana ola; 42501: service');

select is(tests.result_of('vic', $$ select public.decline_podcast_transfer(tests.id('show/transfer')) $$), 'ok 1',
  'decline_podcast_transfer accepts the member');
select is((select status::text from public.podcast_transfers), 'declined', 'decline_podcast_transfer sets the status');
select is(tests.result_of(who, format('select public.%s_podcast_transfer(tests.id(''show/transfer''))', operation)),
  'PT409', format('%s_podcast_transfer returns 409 after declining', operation))
from (values ('vic', 'accept'), ('vic', 'decline'), ('ola', 'withdraw')) v (who, operation);
select lives_ok($$ select tests.transfer('show', 'vic') $$, 'offer_podcast_transfer accepts an offer after declining');

select * from tests.finish();
rollback;
