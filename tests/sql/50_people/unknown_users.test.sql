-- Functions that take a user's id or email respond the same for a user who shares no podcast with the caller and for an
-- unknown user. invite_guest is the exception: its userId is set if a confirmed user has the email.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.person('stranger'), tests.person('pending',
  false);
create temp table people (name text, id uuid, email text);
insert into people values ('a stranger', tests.id('stranger'), 'stranger@test.example'),
  ('an unconfirmed user', tests.id('pending'), 'pending@test.example'),
  ('an unknown user', gen_random_uuid(), 'unknown@test.example');
grant select on people to authenticated;
create function pg_temp.response(call text) returns text language plpgsql as $$
declare
  response jsonb;
  hint     text;
begin
  execute 'select to_jsonb(' || call || ')' into response;
  return response #- '{id}' #- '{email}' #- '{created_at}' #- '{updated_at}' #- '{expires_at}';
exception when others then
  get stacked diagnostics hint = pg_exception_hint;
  return concat_ws(' ', sqlstate, sqlerrm, hint);
end $$;
grant execute on function pg_temp.response to authenticated;

select tests.act_as('ola');
select is((select count(distinct pg_temp.response(format(call, p.id, p.email))) from people p), 1::bigint,
  format('%s responds the same for a stranger, an unconfirmed user and an unknown user', split_part(call, '(', 1)))
from unnest(array[
  'public.invite_podcast_member(tests.id(''show''), %2$L)', 'public.offer_podcast_transfer(tests.id(''show''), %1$L)',
  'public.add_episode_person(tests.id(''pilot''), ''team'', ''Someone'', user_id => %1$L)']) call;
select is((select count(*) from public.profiles p join people using (id)), 0::bigint,
  'clients may not read profiles of people who share no podcast with them');
select is((select count(*) from public.billing_accounts b join people p on p.id = b.user_id), 0::bigint,
  'clients may not read billing accounts of other people');

select * from tests.finish();
rollback;
