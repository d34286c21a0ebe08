-- Guest records: found by name or address, described by admins, their notes unread by plain members.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger'), tests.podcast('other', 'otto');
select tests.episode('pilot', 'show'), tests.episode('second', 'show');
create function pg_temp.guest(name text, email text, podcast text default 'show') returns uuid language plpgsql as $$
declare made uuid;
begin
  insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id(podcast), name, email) returning id into made;
  return tests.remember(name, made);
end $$;
create function tests.found(q text default null, most numeric default 20) returns text[] language sql as $$
  select array(select g ->> 'displayName' from jsonb_array_elements(public.list_podcast_guests(tests.id('show'), q, most)) g) $$;

select is(tests.result_of('vic', $$ select public.list_podcast_guests(tests.id('show')) $$), 'ok 1', 'a member lists');
select is(tests.result_of('stranger', $$ select public.list_podcast_guests(tests.id('show')) $$), 'PT403', 'a stranger does not');
select is(tests.result_of('otto', $$ select public.list_podcast_guests(tests.id('show')) $$), 'PT403', 'nor does another podcast''s owner');
select is(tests.result_of('anon', $$ select public.list_podcast_guests(tests.id('show')) $$), '42501', 'nor anon');
select is(tests.result_of('vic', $$ select public.list_podcast_guests(gen_random_uuid()) $$), 'PT404', 'a podcast that is not there is 404');

select tests.act_as('vic');
select is(public.list_podcast_guests(tests.id('show')), '[]', 'no guests are an empty list');
select tests.act_as('postgres');
select pg_temp.guest('Zoë', 'zoe@guests.example'), pg_temp.guest('anna', 'Anna%@100.example'), pg_temp.guest('Bert', 'b_rt@guests.example'),
  pg_temp.guest('JÜRGEN', 'jj@guests.example'), pg_temp.guest('Other''s', 'anna@guests.example', 'other');
insert into public.episode_guests (episode_id, podcast_guest_id, status) values (tests.id('pilot'), tests.id('Bert'), 'removed'), (tests.id('second'), tests.id('Bert'), 'invited');
select tests.act_as('vic');
select is(tests.found(), '{anna,Bert,JÜRGEN,Zoë}', 'guests come by name, whatever its case, and only this podcast''s');
select is(tests.found(q), expected, format('%L finds %s', q, expected)) from (values
  ('ANN', '{anna}'::text[]), ('jürg', '{JÜRGEN}'), ('GUESTS.example', '{Bert,JÜRGEN,Zoë}'), (' zoë ', '{Zoë}'), ('%', '{anna}'), ('_', '{Bert}'), ('\', '{}'),
  ('', '{anna,Bert,JÜRGEN,Zoë}'), ('  ', '{anna,Bert,JÜRGEN,Zoë}'), ('nobody', '{}'), ('t', '{Bert,JÜRGEN,Zoë}'), ('a%a', '{}')) v (q, expected);
select is(cardinality(tests.found(null, most)), expected, format('a limit of %s shows %s', most, expected)) from (values (0, 1), (-7, 1), (1, 1), (2.9, 2), (1e20, 4), (null, 4)) v (most, expected);
select tests.act_as('postgres');
insert into public.podcast_guests (podcast_id, display_name, email) select tests.id('show'), 'Many', n || '@many.example' from generate_series(1, 60) n;
select tests.act_as('vic');
select is(cardinality(tests.found(null, 51)), 50, 'fifty at most');
select is(jsonb_array_length(public.list_podcast_guests(tests.id('show'))), 20, 'twenty when nothing is said');
select is(public.list_podcast_guests(tests.id('show'), 'bert') -> 0 ->> 'episodeCount', '2', 'episodes are counted whatever became of the invitation');
select is(public.list_podcast_guests(tests.id('show'), 'zo') -> 0, jsonb_build_object('id', tests.id('Zoë'), 'displayName', 'Zoë', 'email', 'zoe@guests.example', 'userId', null,
  'avatarUrl', null, 'episodeCount', 0, 'createdAt', (select private.format_timestamp(created_at) from public.podcast_guests where id = tests.id('Zoë'))), 'an entry says this and no more');
select tests.act_as('postgres');
insert into public.podcasts (owner_id, title) select tests.id('ola'), 'Show ' || n from generate_series(1, 100) n;
insert into public.podcast_guests (podcast_id, display_name, email) select p.id, 'One', 'one@guests.example' from public.podcasts p where p.title like 'Show %';
insert into public.podcast_guests (podcast_id, display_name, email) select tests.id('show'), 'Many', n || '@more.example' from generate_series(1, 2000) n;
analyze public.podcast_guests;
select tests.act_as('vic');
select set_config('tests.scans', pg_stat_get_xact_numscans('public.podcast_guests_search_idx'::regclass)::text, true);
select is(tests.found('bertha'), '{}', 'nobody of that name') from generate_series(1, 10);
select is(pg_stat_get_xact_numscans('public.podcast_guests_search_idx'::regclass) - current_setting('tests.scans')::bigint, 10::bigint, 'every search goes by the trigrams'' index, the tenth on a connection as well');
select is(tests.found(repeat('x', 455) || ' '), '{}', 'a search may be as long as a name and an address');
select is(tests.result_of('vic', $$ select public.list_podcast_guests(tests.id('show'), repeat('x', 456)) $$), 'PT400', 'and no longer');
select tests.act_as('postgres');

-- Detail
select is(tests.result_of(who, $$ select public.get_podcast_guest(tests.id('Bert')) $$), expected, format('%s reads a guest: %s', who, expected))
from (values ('ola', 'ok 1'), ('ana', 'ok 1'), ('vic', 'ok 1'), ('stranger', 'PT403'), ('otto', 'PT403'), ('anon', '42501')) v (who, expected);
select is(tests.result_of('stranger', 'select public.get_podcast_guest(gen_random_uuid())'), 'PT404', 'a guest who is not there is 404');
insert into public.podcast_guest_notes (guest_id, notes, bio) values (tests.id('Bert'), 'Late, always', 'Sails');
update public.episode_guests set invited_at = now() - interval '1 day', last_accessed_at = now() where episode_id = tests.id('second');
select tests.act_as('ana');
select is(public.get_podcast_guest(tests.id('Bert')) - 'episodes', (select jsonb_build_object('id', g.id, 'displayName', 'Bert', 'email', 'b_rt@guests.example', 'userId', null, 'avatarUrl', null,
  'notes', 'Late, always', 'bio', 'Sails', 'privateNotesVisible', true, 'createdAt', private.format_timestamp(g.created_at), 'updatedAt', private.format_timestamp(g.updated_at))
  from public.podcast_guests g where id = tests.id('Bert')), 'an admin reads all of it');
select is((select jsonb_agg(e -> 'episodeTitle') from jsonb_array_elements(public.get_podcast_guest(tests.id('Bert')) -> 'episodes') e), '["pilot", "second"]', 'the newest invitation first');
select is(public.get_podcast_guest(tests.id('Bert')) #> '{episodes,1}', (select jsonb_build_object('episodeGuestId', g.id, 'episodeId', e.id, 'episodeTitle', 'second', 'episodeSlug', e.slug, 'status', 'invited',
  'invitedAt', private.format_timestamp(g.invited_at), 'lastAccessedAt', private.format_timestamp(g.last_accessed_at)) from public.episode_guests g join public.episodes e on e.id = g.episode_id where e.id = tests.id('second')), 'each with this and no more');
select is(public.get_podcast_guest(tests.id('Zoë')) -> 'episodes', '[]', 'a guest without invitations has none');
select tests.act_as('vic');
select is(public.get_podcast_guest(tests.id('Bert')) - '{id,displayName,email,userId,avatarUrl,createdAt,updatedAt,episodes}'::text[], '{"notes": null, "bio": null, "privateNotesVisible": false}', 'a member reads no notes and no bio, and is told so');
select tests.act_as('ola');
select is(public.get_podcast_guest(tests.id('Bert')) ->> 'bio', 'Sails', 'the owner reads them');

-- Update
select is(tests.result_of(who, $$ select public.update_podcast_guest(tests.id('Bert'), '{"notes": "Late, always"}') $$), expected, format('%s updates a guest: %s', who, expected))
from (values ('ola', 'ok 1'), ('ana', 'ok 1'), ('vic', 'PT403'), ('stranger', 'PT403'), ('otto', 'PT403'), ('anon', '42501')) v (who, expected);
select is(tests.result_of('ana', $$ select public.update_podcast_guest(gen_random_uuid(), '{"bio": "x"}') $$), 'PT404', 'one who is not there is 404');
select is(tests.result_of('ana', format('select public.update_podcast_guest(tests.id(%L), %L)', 'Bert', changes)), expected, format('%s is %s', left(changes, 60), expected)) from (values
  ('{}', 'PT400'), ('[]', 'PT400'), ('null', 'PT400'), ('{"email": "x@y.example"}', 'PT400'), ('{"bio": "x", "userId": null}', 'PT400'), ('{"displayName": null}', 'PT400'), ('{"displayName": 5}', 'PT400'),
  ('{"notes": {}}', 'PT400'), ('{"displayName": ""}', '23514'), ('{"displayName": "  "}', '23514'), (format('{"displayName": "%s"}', repeat('x', 201)), '23514'),
  (format('{"notes": "%s"}', repeat('x', 2001)), '23514'), (format('{"bio": "%s"}', repeat('x', 2001)), '23514'), (format('{"bio": "%s"}', repeat('𝄞', 2000)), 'ok 1'), ('{"bio": "Sails"}', 'ok 1')) v (changes, expected);
create temp table stamps as select updated_at from public.podcast_guests where id = tests.id('Bert');
grant select on stamps to authenticated;
select tests.act_as('ana');
select is(public.update_podcast_guest(tests.id('Bert'), '{"notes": null}') - 'updatedAt', jsonb_build_object('id', tests.id('Bert'), 'displayName', 'Bert', 'email', 'b_rt@guests.example', 'userId', null, 'notes', null, 'bio', 'Sails'),
  'null clears, absent stays');
select ok((select g.updated_at > s.updated_at from public.podcast_guests g, stamps s where g.id = tests.id('Bert')), 'and the record is updated by it');
select is(public.update_podcast_guest(tests.id('Bert'), '{"displayName": " Bertha ", "bio": null, "notes": ""}') - '{id,email,userId,updatedAt}'::text[], '{"displayName": "Bertha", "notes": "", "bio": null}', 'everything at once');
select is(public.update_podcast_guest(tests.id('Zoë'), '{"displayName": "Zora"}') - '{id,email,userId,updatedAt}'::text[], '{"displayName": "Zora", "notes": null, "bio": null}', 'a name alone writes no notes');
select is((select count(*) from public.podcast_guest_notes), 1::bigint, 'not even empty ones');
create temp table said as select public.update_podcast_guest(tests.id('Bert'), '{"bio": "x"}') as data;
select is((select data -> 'notes' from said), '""', 'a bio alone leaves the notes');
select is((select data ->> 'updatedAt' from said), (select private.format_timestamp(updated_at) from public.podcast_guests where id = tests.id('Bert')), 'the answer tells when');
select tests.act_as('postgres');
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('ana', $$ select public.update_podcast_guest(tests.id('Bert'), '{"bio": "y"}') $$), 'PT409', 'on the way out nothing is written');
select is(tests.result_of('vic', $$ select public.get_podcast_guest(tests.id('Bert')) $$), 'ok 1', 'but read');

select * from tests.finish();
rollback;
