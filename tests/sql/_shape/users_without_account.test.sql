-- Users without an account: sign-ups whose email is not confirmed, anonymous users, and users whose token outlives
-- their account. Every function and every table that signed-in users may use is tried, with ids of rows that refer to
-- the user.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.booking_link('talk', 'show'),
  tests.episode('pilot', 'show'), tests.podcast('theirs', 'otto'),
  tests.person('early', false), tests.anonymous_user('ann'), tests.member('gone', 'show', 'admin');
update auth.users set email_change = 'ann@test.example', email_change_sent_at = now() where id = tests.id('ann');
select tests.guest_with_token('early', 'pilot'), tests.guest_with_token('ann', 'pilot'),
  tests.guest_with_token('gone', 'pilot', 'active');
select tests.template('welcome', 'show'), tests.rule('reminder', 'show', 'booking.confirmed',
  jsonb_build_array(tests.webhook_action()));
select tests.invitation('theirs', who || '@test.example', 'otto') from unnest('{early,ann,gone}'::text[]) who;
select tests.transfer('show', 'gone');
select tests.import('import', 'show', 'failed'), tests.import_item('item', 'import', 'failed');
select tests.act_as('gone');
with written as (
  insert into public.episode_messages (episode_id, body) values (tests.id('pilot'), 'Hello') returning id)
select tests.remember('message', id) from written;
with made as (
  select public.add_episode_person(tests.id('pilot'), 'team', 'Gone', user_id => tests.id('gone')) as person)
select tests.remember('person', (person #>> '{data,id}')::uuid) from made;
select tests.act_as('postgres');
with begun as (
  insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, declared_bytes)
  values (tests.id('show'), tests.id('pilot'), 'uploads/a', 'podcasts/a', 'audio/mpeg', 1) returning id)
select tests.remember('upload', id) from begun;
delete from auth.users where id = tests.id('gone');
create temp table people (name text, state text);
insert into people values ('early', 'an unconfirmed user'), ('ann', 'an anonymous user'), ('gone', 'a deleted user');

-- Valid arguments by name, else by type
create function pg_temp.argument(who text, function text, name text, type regtype) returns text language plpgsql as $$
begin
  return format('%L::%s', case name
    when 'podcast_id' then tests.id('show')::text when 'episode_id' then tests.id('pilot')::text
    when 'invitation_id' then tests.id('theirs/' || who || '@test.example')::text
    when 'transfer_id' then (select min(i.id::text) from tests.ids i where i.name = 'show/transfer')
    when 'user_id' then tests.id(who)::text when 'podcast_guest_id' then (
      select g.id::text from public.podcast_guests g where g.email = who || '@test.example')
    when 'episode_guest_id' then tests.id('pilot/' || who)::text when 'message_id' then tests.id('message')::text
    when 'person_id' then tests.id('person')::text when 'import_id' then tests.id('import')::text
    when 'item_id' then tests.id('item')::text when 'import_item_id' then tests.id('item')::text
    when 'booking_link_id' then tests.id('talk')::text
    when 'template_id' then tests.id('welcome')::text when 'rule_id' then tests.id('reminder')::text
    when 'action_id' then tests.id('reminder/0')::text
    when 'upload_id' then tests.id('upload')::text
    when 'source_path' then format('imports/%s/%s.png', tests.id(who), tests.id(who))
    when 'email' then 'other@test.example' when 'feed_url' then 'https://feeds.example/a.xml'
    when 'filename' then 'a.mp3' when 'image_type' then 'cover' when 'code' then '123456'
    when 'content_type' then case when function ~ 'audio|direct' then 'audio/mpeg'
      when function ~ 'transcript' then 'text/vtt' else 'image/png' end
    when 'language' then 'en' when 'rel' then 'captions'
    when 'source_type' then 'external' when 'slug' then 'show'
    when 'image' then '{"type": "image/png", "width": 1400, "height": 1400}'
    else case when type = 'jsonb'::regtype then '{"notes": "x", "name": "x"}'
      when type = 'uuid'::regtype then gen_random_uuid()::text
      when type::text like '%[]' then '{}'
      when type in ('int'::regtype, 'bigint'::regtype, 'numeric'::regtype) then '1'
      when type = 'boolean'::regtype then 'true'
      when type = 'timestamptz'::regtype then '2100-01-01'
      when type = 'text'::regtype then 'Anything' else (
        select e.enumlabel from pg_enum e where e.enumtypid = type order by e.enumsortorder limit 1) end end, type);
end $$;

create temp table called as
  select w.name as who, w.state, p.proname::text as function, tests.result_of(w.name, format('select public.%I(%s)',
    p.proname, (
      select string_agg(format('%I => %s', a.name, pg_temp.argument(w.name, p.proname, a.name, a.type)), ', ')
      from unnest(p.proargnames[1 : p.pronargs], p.proargtypes::oid[]::regtype[]) with ordinality a (name, type, n)
      where a.n <= p.pronargs - p.pronargdefaults or a.name = 'image'))) as result
  from people w cross join tests.functions p
  where p.nspname = 'public' and p.prorettype <> 'trigger'::regtype
    and has_function_privilege('authenticated', p.oid, 'EXECUTE')
    and not has_function_privilege('anon', p.oid, 'EXECUTE')  -- these need no user
    and not (w.name = 'early' and p.proname in ('delete_account', 'export_account'));  -- of the sign-up itself
select cmp_ok((select count(*) from called), '>', 100::bigint, 'every function is called as all users');
select ok(result in ('PT403', 'PT404', '42501'), format('%s returns 403 or 404 to %s: %s', function, state, result))
from called;

-- Tables
create temp table reads as
  select w.state, c.relname::text as name, tests.result_of(w.name, format('select from public.%I', c.relname)) as result
  from people w cross join pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
    and c.relname not in (  -- public
      'plans', 'plan_prices', 'podcast_categories', 'notification_types', 'automation_tags');
select is(result, 'ok 0', format('%s may read no row of %s', state, name)) from reads;
create temp table writes as
  select w.state, c.relname::text as name, s.statement, tests.result_of(w.name, s.statement) as result
  from people w cross join pg_class c
  cross join lateral (
    select format('update public.%I set %2$I = %2$I', c.relname, a.attname) as statement
    from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and has_column_privilege('authenticated', c.oid, a.attnum, 'UPDATE')
    union all select format('delete from public.%I where ctid is not null', c.relname)) s
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r';
-- an anonymous user gets 403 also if the statement finds no row
select ok(result in (case when state ~ 'anonymous' then 'PT403' else 'ok 0' end, '42501'),
  format('%s changes no row by: %s: %s', state, statement, result)) from writes;
select set_eq($$ select c.relname::text from pg_class c where c.relnamespace = 'public'::regnamespace
  and has_any_column_privilege('authenticated', c.oid, 'INSERT') $$, array['podcasts', 'episodes', 'episode_messages',
  'episode_transcripts', 'episode_chapters', 'booking_links', 'automation_templates', 'automation_rules',
  'automation_actions'], 'clients insert only into the tables that are tried below');
select is(tests.result_of(w.name, s.statement), case when w.state ~ 'anonymous' then 'PT403' else s.result end,
  format('%s may not insert: %s', w.state, s.statement))
from people w, (values
  ($$ insert into public.podcasts (title) values ('Mine') $$, 'PT403'),
  ($$ insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Mine') $$, '42501'),
  ($$ insert into public.episode_transcripts (episode_id, type, url)
    values (tests.id('pilot'), 'text/vtt', 'https://x.test/') $$, '42501'),
  ($$ insert into public.episode_chapters (episode_id, start_seconds, title)
    values (tests.id('pilot'), 0, 'Mine') $$, '42501'),
  ($$ insert into public.booking_links (podcast_id, name, timezone) values (tests.id('show'), 'Mine', 'UTC') $$,
    '42501'),
  ($$ insert into public.automation_templates (podcast_id, name, subject, body_text)
    values (tests.id('show'), 'Mine', 'Hi', 'Hi') $$, '42501'),
  ($$ insert into public.automation_rules (podcast_id, name, trigger_type)
    values (tests.id('show'), 'Mine', 'booking.confirmed') $$, '42501'),
  ($$ insert into public.automation_actions (rule_id, action_type, action_config)
    values (tests.id('reminder'), 'send_webhook', '{"url": "https://hooks.test/in"}') $$, '42501'),
  ($$ insert into public.episode_messages (episode_id, body) values (tests.id('pilot'), 'Mine') $$, '42501')
) s (statement, result);

select tests.act_as('early');
select is(tests.describe_error($$ select public.create_podcast('Mine') $$),
  'PT403 / You have no account; confirm your email address, or sign in again / ACCOUNT_REQUIRED',
  'create_podcast says that the user has no account');
select is(tests.error_of('select ' || call), 'PT403 ACCOUNT_REQUIRED',
  format('a user without an account gets ACCOUNT_REQUIRED from %s', call))
from unnest(array['public.get_storage_usage()', 'public.authorize_artwork_import()',
  $$ public.begin_artwork_import('image/png', 1000, '{"type": "image/png", "width": 1400, "height": 1400}') $$]) call;

select * from tests.finish();
rollback;
