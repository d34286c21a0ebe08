-- Changed credits invalidate the feed as best effort, and make the episode's feed item stale.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.published_episode('pilot', 'show'), tests.episode('draft', 'show');
-- Whether the statement makes the episode's item stale, and how many messages it enqueues.
create function pg_temp.effect_of(statement text, episode text default 'pilot') returns text language plpgsql as $$
declare
  before timestamptz := (select updated_at from public.episodes where id = tests.id(episode));
begin
  perform tests.empty_queue('feed_invalidation');
  execute statement;
  return format('%s, %s of %s messages',
    case when (select updated_at > before from public.episodes
      where id = tests.id(episode)) then 'stale' else 'fresh' end,
    (select count(*) from tests.queued('feed_invalidation') q
     where q ->> 'type' = 'episode.credits.updated' and q ->> 'episode_id' = tests.id(episode)::text),
    (select count(*) from tests.queued('feed_invalidation')));
end $$;
create function pg_temp.insert_credits(names text[], episode text default 'pilot') returns text language sql as $$
  select format('insert into public.episode_credits (episode_id, name, role_label, display_order)
      select %1$L, name, ''Guest'', n + (select count(*) from public.episode_credits where episode_id = %1$L)
      from unnest(%2$L::text[]) with ordinality w (name, n)', tests.id(episode), names) $$;

select is(pg_temp.effect_of(statement), expected, format('announce_credits after %s: feed item %s', title, expected))
from (values
  (pg_temp.insert_credits('{A}'), 'stale, 1 of 1 messages', 'inserting a credit of a published episode'),
  (pg_temp.insert_credits('{B,C,D}'), 'stale, 1 of 1 messages', 'inserting several credits at once'),
  ($$ update public.episode_credits set name = 'AA' where name = 'A' $$, 'stale, 1 of 1 messages', 'updating a credit'),
  ($$ update public.episode_credits set display_order = 10 - display_order $$, 'stale, 1 of 1 messages',
    'reordering the credits'),
  ($$ delete from public.episode_credits where name in ('B', 'C') $$, 'stale, 1 of 1 messages',
    'deleting credits, which renumbers the others,'),
  ($$ update public.episode_credits set name = 'X' where name = 'unknown' $$, 'fresh, 0 of 0 messages',
    'updating no credit')) v (statement, expected, title);
select is(pg_temp.effect_of(pg_temp.insert_credits('{A}', 'draft'), 'draft'), 'fresh, 1 of 1 messages',
  'inserting a credit of a draft enqueues a message and does not change updated_at');
select tests.empty_queue('feed_invalidation');
update public.episode_credits set name = name || '!';
select results_eq($$ select (q ->> 'episode_id')::uuid from tests.queued('feed_invalidation') q order by 1 $$,
  $$ select unnest(array[tests.id('pilot'), tests.id('draft')]) order by 1 $$,
  'updating credits of two episodes enqueues one message for each');

alter table pgmq.q_feed_invalidation rename to q_lost;
select lives_ok(pg_temp.insert_credits('{E}'), 'inserting a credit succeeds even if the message cannot be enqueued');
alter table pgmq.q_lost rename to q_feed_invalidation;
select ok(exists (select from public.episode_credits where name = 'E'),
  'a credit is saved even if the message cannot be enqueued');

select * from tests.finish();
rollback;
