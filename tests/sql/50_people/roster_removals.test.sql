-- A guest's place on the roster: theirs to take and to leave, until an admin takes it away.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
delete from episode_people; delete from episode_credits;
create function tests.invite() returns text language plpgsql as $$
declare said jsonb;
begin
  perform tests.act_as('ola');
  said := public.invite_guest(tests.id('pilot'), 'gus@guests.example', 'Gus');
  perform tests.act_as('postgres');
  update private.guest_invitations set token_hash = sha256('token'), expires_at = 'infinity';
  return said #>> '{episodeGuest,status}';
end $$;
create function tests.seat() returns text language sql as $$
  select coalesce(max(concat_ws(' ', case when p.is_active then 'on' else 'inactive' end, case when c.id is not null then 'credited' end)), 'off')
  from public.episode_people p left join public.episode_credits c on c.id = p.credit_id
  where p.guest_id is not null $$;
create function tests.says(variadic answers text[]) returns text language plpgsql as $$
declare answer text;
begin
  perform tests.act_as('anon');
  foreach answer in array answers loop
    execute format('select public.%I($1)', answer || '_guest_invitation') using 'token';
  end loop;
  perform tests.act_as('postgres');
  return tests.seat();
end $$;
create function tests.hosts(verb text) returns text language plpgsql as $$
begin
  perform tests.act_as('ola');
  execute format('select public.%I($1, $2)', verb) using tests.id('pilot'), (select p.id from public.episode_people p where p.guest_id is not null);
  perform tests.act_as('postgres');
  return tests.seat();
end $$;
create function tests.host_adds() returns text language plpgsql as $$
begin
  perform tests.act_as('ola');
  perform public.add_episode_person(tests.id('pilot'), 'guest', 'Gus', guest_id => (select id from public.episode_guests));
  perform tests.act_as('postgres');
  return tests.seat();
end $$;

select is(tests.invite(), 'invited', 'a guest is invited');
select is(tests.says('accept'), 'on credited', 'who accepts is on the roster and credited');
select is(tests.says('decline'), 'off', 'who declines is neither');
select is(tests.says('accept', 'accept'), 'on credited', 'and is both again on accepting');
select is(tests.hosts('remove_episode_person'), 'off', 'an admin takes them off');
select is(tests.says('accept'), 'off', 'which accepting does not undo');
select is(tests.says('decline', 'accept', 'decline', 'accept'), 'off', 'nor does declining first');
select is(tests.invite(), 'invited', 'until they are invited anew');
select is(tests.seat(), 'off', 'which waits for their word');
select is(tests.says('accept'), 'on credited', 'they accept');
select is(tests.invite(), 'active', 'and who is on the roster stays active when invited again');
select is(tests.hosts('remove_episode_person'), 'off', 'an admin takes them off after that');
select is(tests.says('decline', 'accept'), 'off', 'which holds as well');
select is(tests.host_adds(), 'on', 'an admin puts them on again');
select is(tests.says('decline'), 'off', 'so that they may leave');
select is(tests.says('accept'), 'on credited', 'and come back');
select is(tests.says('decline'), 'off', 'who has declined …');
select is(tests.host_adds(), 'on', '… and is put on the roster nevertheless …');
select is(tests.hosts('remove_episode_person'), 'off', '… and taken off …');
select is(tests.says('accept'), 'on credited', '… takes part on accepting: nobody ended their part');

select * from tests.finish();
rollback;
