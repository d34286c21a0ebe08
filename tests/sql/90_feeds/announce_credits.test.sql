-- What the feed hears of credits, and that hearing it is best effort.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.published_episode('pilot', 'show'), tests.episode('draft', 'show');
create function pg_temp.changed(statement text, episode text default 'pilot', out stale boolean, out messages bigint) language plpgsql as $$
declare before timestamptz := (select updated_at from public.episodes where id = tests.id(episode));
begin
  perform tests.empty_queue('feed_invalidation');
  execute statement;
  stale := (select updated_at > before from public.episodes where id = tests.id(episode));
  messages := (select count(*) from tests.queued('feed_invalidation') q where q ->> 'type' = 'episode.credits.updated' and q ->> 'episode_id' = tests.id(episode)::text);
  if (select count(*) from tests.queued('feed_invalidation')) <> messages then messages := -1; end if;
end $$;
create function pg_temp.made(names text[], episode text default 'pilot') returns text language sql as $$
  select format('insert into public.episode_credits (episode_id, name, role_label, display_order) select tests.id(%L), name, ''Guest'', place + (select count(*) from public.episode_credits where episode_id = tests.id(%1$L))
    from unnest(%L::text[]) with ordinality w (name, place)', episode, names) $$;

select is((pg_temp.changed(pg_temp.made('{A}')))::text, '(t,1)', 'a new credit of a published episode makes its item stale, and is told once');
select is((pg_temp.changed(pg_temp.made('{B,C,D}')))::text, '(t,1)', 'and so do several at once');
select is((pg_temp.changed($$ update public.episode_credits set name = 'AA' where name = 'A' $$))::text, '(t,1)', 'a change');
select is((pg_temp.changed($$ update public.episode_credits set display_order = 10 - display_order $$))::text, '(t,1)', 'another order');
select is((pg_temp.changed($$ delete from public.episode_credits where name in ('B', 'C') $$))::text, '(t,1)', 'and deletions, the gap that they leave included');

select is((pg_temp.changed($$ update public.episode_credits set name = 'X' where name = 'nobody' $$))::text, '(f,0)', 'where nothing changes nothing is told');
select is((pg_temp.changed(pg_temp.made('{A}', 'draft'), 'draft'))::text, '(f,1)', 'a draft has no item, but is told of all the same');
select tests.empty_queue('feed_invalidation');
update public.episode_credits set name = name || '!';
select results_eq($$ select (q ->> 'episode_id')::uuid from tests.queued('feed_invalidation') q order by 1 $$, $$ select unnest(array[tests.id('pilot'), tests.id('draft')]) order by 1 $$, 'of two episodes each is told once');

alter table pgmq.q_feed_invalidation rename to q_lost;
select lives_ok(pg_temp.made('{E}'), 'a queue that is broken refuses no credit');
alter table pgmq.q_lost rename to q_feed_invalidation;
select ok(exists (select from public.episode_credits where name = 'E'), 'it is there');

select * from tests.finish();
rollback;
