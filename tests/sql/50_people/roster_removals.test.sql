-- roster_removals: a guest whom an admin removed from the roster returns only by a new invitation or an admin.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
delete from episode_people; delete from episode_credits;
create function tests.invite() returns text language plpgsql as $$
declare
  response jsonb;
begin
  perform tests.act_as('ola');
  response := public.invite_guest(tests.id('pilot'), 'gus@guests.example', 'Gus');
  perform tests.act_as('postgres');
  perform tests.send_emails();
  delete from private.rate_limits;
  insert into private.access_tokens (digest, kind, subject_id, expires_at)
  values (sha256('token'), 'guest_invitation', (response #>> '{episodeGuest,id}')::uuid, 'infinity')
  on conflict do nothing;
  return response #>> '{episodeGuest,status}';
end $$;
create function tests.entry() returns text language sql as $$
  select coalesce(max(concat_ws(' ', case when p.is_active then 'active' else 'inactive' end,
    case when c.id is not null then 'credited' end)), 'none')
  from public.episode_people p left join public.episode_credits c on c.id = p.credit_id
  where p.guest_id is not null $$;
create function tests.guest_does(variadic responses text[]) returns text language plpgsql as $$
declare
  response text;
begin
  perform tests.act_as('anon');
  foreach response in array responses loop
    execute format('select public.%I($1)', response || '_guest_invitation') using 'token';
  end loop;
  perform tests.act_as('postgres');
  return tests.entry();
end $$;
create function tests.admin_removes() returns text language plpgsql as $$
begin
  perform tests.act_as('ola');
  perform public.remove_episode_person(tests.id('pilot'), p.id) from public.episode_people p
    where p.guest_id is not null;
  perform tests.act_as('postgres');
  return tests.entry();
end $$;
create function tests.admin_adds() returns text language plpgsql as $$
begin
  perform tests.act_as('ola');
  perform public.add_episode_person(tests.id('pilot'), 'guest', 'Gus', guest_id => (select id
    from public.episode_guests));
  perform tests.act_as('postgres');
  return tests.entry();
end $$;

select is(tests.invite(), 'invited', 'invite_guest sets the status of a new guest to invited');
select is(tests.guest_does('accept'), 'active credited', 'accepting adds the guest to roster and credits');
select is(tests.guest_does('decline'), 'none', 'declining removes the guest from roster and credits');
select is_empty('select from private.roster_removals', 'declining records no roster removal');
select is(tests.guest_does('accept', 'accept'), 'active credited', 'accepting after a decline adds the guest again');
select is(tests.admin_removes(), 'none', 'remove_episode_person removes an active guest from roster and credits');
select is((select count(*) from private.roster_removals), 1::bigint,
  'remove_episode_person of an active guest records a roster removal');
select is(tests.guest_does('accept'), 'none', 'accepting once more does not add a guest whom an admin removed');
select is(tests.guest_does('decline', 'accept', 'decline', 'accept'), 'none',
  'declining and accepting does not add a guest whom an admin removed');
select is(tests.invite(), 'invited', 'invite_guest of an active guest whom an admin removed sets invited');
select is_empty('select from private.roster_removals', 'a new invitation deletes the roster removal');
select is(tests.entry(), 'none', 'a new invitation does not add the guest before they accept');
select is(tests.guest_does('accept'), 'active credited', 'accepting a new invitation adds the guest again');
select is(tests.invite(), 'active', 'invite_guest of an active guest on the roster keeps the status');
select is(tests.admin_removes(), 'none', 'remove_episode_person removes a guest who was invited again');
select is(tests.guest_does('decline'), 'none', 'a removed guest can decline');
select is(tests.invite(), 'invited', 'invite_guest of a removed guest who declined sets invited');
select is(tests.guest_does('accept'), 'active credited',
  'accepting an invitation after a decline adds a removed guest');
select is(tests.admin_removes(), 'none', 'remove_episode_person removes the guest a third time');
select is(tests.guest_does('decline', 'accept'), 'none', 'a later removal is recorded too');
select is(tests.admin_adds(), 'active', 'add_episode_person adds a guest whom an admin removed');
select is_empty('select from private.roster_removals', 'add_episode_person deletes the roster removal');
select is(tests.guest_does('decline'), 'none', 'declining removes a guest whom an admin added again');
select is(tests.guest_does('accept'), 'active credited', 'accepting adds a guest whom an admin added again');
select is(tests.guest_does('decline'), 'none', 'declining removes the guest from the roster');
select is(tests.admin_adds(), 'active', 'add_episode_person adds a guest who declined');
select is(tests.admin_removes(), 'none', 'remove_episode_person removes a guest who declined');
select is(tests.guest_does('accept'), 'active credited',
  'accepting adds a guest who had declined when an admin removed them');
select tests.admin_removes();
update public.episode_guests set status = 'removed';
select is_empty('select from private.roster_removals',
  'removing the guest from the episode deletes the roster removal');

select * from tests.finish();
rollback;
