-- list_guest_messages: guests read the chat of their episode, newest first, in pages.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
select tests.podcast('other', 'otto'), tests.episode('foreign', 'other');
select tests.guest_with_token('gus', 'pilot', 'active'), tests.guest_with_token('ida', 'pilot'),
  tests.guest_with_token('dan', 'pilot', 'declined'), tests.guest_with_token('far', 'foreign', 'active');
create function pg_temp.list(token text, cursor text default null, page_size int default 50) returns jsonb
language plpgsql as $$
declare
  result jsonb;
begin
  perform tests.act_as('anon');
  result := public.list_guest_messages(token, cursor, page_size);
  perform tests.act_as('postgres');
  return result;
exception when others then
  return to_jsonb(sqlstate);
end $$;

select is(pg_temp.list(token), to_jsonb(expected), format('list_guest_messages with %s returns %s', title, expected))
from (values ('dan', 'PT403', 'the token of a guest who declined'), ('none', 'PT401', 'an unknown token'),
  ('', 'PT401', 'an empty token'), (null, 'PT401', 'no token')) w (token, expected, title);

update public.profiles set avatar_url = 'https://pic.test/ola.png' where id = tests.id('ola');
insert into public.episode_messages (episode_id, body, sender_user_id, sender_guest_id, created_at) values
  (tests.id('pilot'), 'First', tests.id('ola'), null, now() - interval '3 s'),
  (tests.id('pilot'), 'Second', null, tests.id('pilot/gus'), now() - interval '2 s'),
  (tests.id('pilot'), 'Third', null, tests.id('pilot/ida'), now() - interval '1 s'),
  (tests.id('foreign'), 'From afar', null, tests.id('foreign/far'), now());
select is(pg_temp.list('gus') -> 'data', (select jsonb_agg(jsonb_build_object('id', m.id, 'body', m.body,
    'createdAt', private.format_timestamp(m.created_at), 'deletedAt', null, 'isMine', m.body = 'Second',
    'sender', case m.body
      when 'First' then '{"type": "member", "name": "Ola", "avatarUrl": "https://pic.test/ola.png"}'::jsonb
      when 'Second' then '{"type": "guest", "name": "Gus", "avatarUrl": null}'
      else '{"type": "guest", "name": "Ida", "avatarUrl": null}' end) order by m.created_at desc)
  from public.episode_messages m where m.episode_id = tests.id('pilot')),
  'list_guest_messages returns the episode''s messages, newest first, with names and avatars but no emails or ids');
select is(jsonb_array_length(pg_temp.list('ida') -> 'data'), 3, 'list_guest_messages serves an invited guest');
select is(jsonb_path_query_array(pg_temp.list('far'), '$.data[*].body'), '["From afar"]',
  'list_guest_messages returns no messages of another episode');

-- deleted messages
select tests.result_of('ola', format('select public.delete_episode_message(%L)', id)) is not null
from public.episode_messages where body = 'First';
select is((pg_temp.list('gus') -> 'data' -> 2) - '{id,createdAt,sender}'::text[],
  jsonb_build_object('body', null, 'deletedAt', private.format_timestamp(now()), 'isMine', false),
  'list_guest_messages returns a deleted message without its body');
update public.episode_messages set body = 'First', deleted_at = null where deleted_at is not null;

-- pages
create function pg_temp.pages(token text, page_size int) returns text[] language plpgsql as $$
declare
  page   jsonb := pg_temp.list(token, null, page_size);
  bodies text[] := '{}';
begin
  loop
    bodies := bodies || (select string_agg(m ->> 'body', '+' order by n)
      from jsonb_array_elements(page -> 'data') with ordinality x (m, n));
    exit when not (page #>> '{pagination,hasMore}')::boolean or cardinality(bodies) = 9;
    page := pg_temp.list(token, page #>> '{pagination,nextCursor}', page_size);
  end loop;
  return bodies;
end $$;
select is(pg_temp.pages('gus', 2), array['Third+Second', 'First'],
  'nextCursor of list_guest_messages leads to the next page');
select is(pg_temp.list('gus', null, 3) -> 'pagination', '{"nextCursor": null, "hasMore": false}',
  'list_guest_messages has no nextCursor on a full last page');
update public.episode_messages set created_at = now() where episode_id = tests.id('pilot');
select is(cardinality(pg_temp.pages('gus', 1)), 3, 'pages of list_guest_messages omit no message of the same instant');
select is(pg_temp.list('gus', null, 1) #>> '{pagination,nextCursor}' ~ '^[A-Za-z0-9_-]+$', true,
  'nextCursor of list_guest_messages is URL-safe');
select is(pg_temp.list('gus', cursor, page_size), to_jsonb('PT400'::text),
  format('list_guest_messages with cursor %L and limit %s returns 400', cursor, page_size))
from (values ('x', 10), ('', 10), ('bm8gY3Vyc29y', 10), (null, 0), (null, 101), (null, null)) w (cursor, page_size);

-- visits
update public.episode_guests set last_accessed_at = null;
select pg_temp.list('gus');
select isnt((select last_accessed_at from public.episode_guests where id = tests.id('pilot/gus')), null,
  'list_guest_messages records the visit');

-- expired, pending deletion, removed
select is(tests.error_of($$ select private.list_guest_messages('gus', null, 50, at => now() + interval '90 days') $$),
  'PT401 EXPIRED', 'list_guest_messages rejects an expired token');
select tests.set_status('show', 'pending_deletion');
select is(jsonb_typeof(pg_temp.list('gus')), 'object', 'list_guest_messages succeeds on a podcast pending deletion');
select tests.set_status('show', 'active');
update public.episode_guests set status = 'removed' where id = tests.id('pilot/gus');
select is(pg_temp.list('gus'), to_jsonb('PT401'::text), 'list_guest_messages rejects the token of a removed guest');

select * from tests.finish();
rollback;
