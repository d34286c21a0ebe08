-- list_podcast_guests: a podcast's guests by name, or those whose name or email contains a text.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('vic', 'show'), tests.person('stranger'), tests.podcast('other',
  'otto');
select tests.episode('pilot', 'show'), tests.episode('second', 'show');
create function tests.found(q text default null, page_size numeric default 20) returns text[] language sql as $$
  select array(select g ->> 'displayName'
    from jsonb_array_elements(public.list_podcast_guests(tests.id('show'), q, page_size)) g) $$;

select tests.access('list_podcast_guests', $$ select public.list_podcast_guests(tests.id('show')) $$,
  'ok 1: vic; PT403: stranger otto; 42501: anon');
select is(tests.result_of('vic', $$ select public.list_podcast_guests(gen_random_uuid()) $$), 'PT404',
  'list_podcast_guests returns 404 for an unknown podcast');
select tests.act_as('vic');
select is(public.list_podcast_guests(tests.id('show')), '[]',
  'list_podcast_guests returns an empty list for a podcast without guests');
select tests.act_as('postgres');

insert into public.podcast_guests (podcast_id, display_name, email) values
  (tests.id('show'), 'Zoë', 'zoe@guests.example'), (tests.id('show'), 'anna', 'Anna%@100.example'),
  (tests.id('show'), 'Bert', 'b_rt@guests.example'), (tests.id('show'), 'JÜRGEN', 'jj@guests.example'),
  (tests.id('other'), 'Other''s', 'anna@guests.example');
select tests.remember(display_name, id) from public.podcast_guests;
insert into public.episode_guests (episode_id, podcast_guest_id, status)
values (tests.id('pilot'), tests.id('Bert'), 'removed'), (tests.id('second'), tests.id('Bert'), 'invited');
select tests.act_as('vic');
select is(tests.found(), '{anna,Bert,JÜRGEN,Zoë}',
  'list_podcast_guests returns the podcast''s guests by name, regardless of letter case');
select is(tests.found(q), expected, format('list_podcast_guests with q %L returns %s', q, expected))
from (values
  ('ANN', '{anna}'::text[]), ('jürg', '{JÜRGEN}'), ('GUESTS.example', '{Bert,JÜRGEN,Zoë}'), (' zoë ', '{Zoë}'),
  ('%', '{anna}'), ('_', '{Bert}'), ('\', '{}'), ('', '{anna,Bert,JÜRGEN,Zoë}'), ('  ', '{anna,Bert,JÜRGEN,Zoë}'),
  ('no one', '{}'), ('t', '{Bert,JÜRGEN,Zoë}'), ('a%a', '{}')) v (q, expected);
select is(public.list_podcast_guests(tests.id('show'), 'bert') #>> '{0,episodeCount}', '2',
  'list_podcast_guests counts episodes of invitations in any status');
select is(public.list_podcast_guests(tests.id('show'), 'zo') -> 0, (select jsonb_build_object('id', g.id,
    'displayName', 'Zoë', 'email', 'zoe@guests.example', 'userId', null, 'avatarUrl', null, 'episodeCount', 0,
    'createdAt', private.format_timestamp(g.created_at)) from public.podcast_guests g where g.id = tests.id('Zoë')),
  'list_podcast_guests returns exactly these fields of a guest');

-- limit
select is(cardinality(tests.found(null, page_size)), expected,
  format('list_podcast_guests with limit %s returns %s of 4 guests', page_size, expected))
from (values (0, 1), (-7, 1), (1, 1), (2.9, 2), (1e20, 4), (null, 4)) v (page_size, expected);
select tests.act_as('postgres');
insert into public.podcast_guests (podcast_id, display_name, email)
select tests.id('show'), 'Many', n || '@many.example' from generate_series(1, 60) n;
select tests.act_as('vic');
select is(cardinality(tests.found(null, 51)), 50, 'list_podcast_guests returns at most 50 guests');
select is(jsonb_array_length(public.list_podcast_guests(tests.id('show'))), 20,
  'list_podcast_guests returns 20 guests by default');

-- search
select tests.act_as('postgres');
insert into public.podcasts (owner_id, title) select tests.id('ola'), 'Show ' || n from generate_series(1, 100) n;
insert into public.podcast_guests (podcast_id, display_name, email)
select p.id, 'One', 'one@guests.example' from public.podcasts p where p.title like 'Show %';
insert into public.podcast_guests (podcast_id, display_name, email)
select tests.id('show'), 'Many', n || '@more.example' from generate_series(1, 2000) n;
analyze public.podcast_guests;
create temp table scans as select pg_stat_get_xact_numscans('public.podcast_guests_search_idx'::regclass) as before;
grant select on scans to public;
select tests.act_as('vic');
select is(tests.found('bertha'), '{}', format('search %s on a connection finds no guest named bertha', n))
from generate_series(1, 10) n;
select is(pg_stat_get_xact_numscans('public.podcast_guests_search_idx'::regclass) - before, 10::bigint,
  'list_podcast_guests uses the trigram index for each of ten searches on a connection') from scans;
select is(tests.found(repeat('x', 455) || ' '), '{}', 'list_podcast_guests accepts a q of 455 characters');
select is(tests.result_of('vic', $$ select public.list_podcast_guests(tests.id('show'), repeat('x', 456)) $$), 'PT400',
  'list_podcast_guests rejects a q of 456 characters');

select * from tests.finish();
rollback;
