-- An invitation to a team, sent by `inviter` and remembered as 'show/eve@test.example'; a later one replaces the id.
create function tests.invitation(podcast text, email text, inviter text, role public.podcast_role default 'member')
  returns uuid
language plpgsql as $$
declare
  before text := current_setting('request.jwt.claims', true);
  caller text := current_setting('role');
  created uuid;
begin
  perform tests.act_as(inviter);
  created := (public.invite_podcast_member(tests.id(podcast), email, role)).id;
  perform set_config('role', 'postgres', true);
  delete from tests.ids i where i.name = podcast || '/' || email;
  perform tests.remember(podcast || '/' || email, created);
  perform set_config('request.jwt.claims', coalesce(before, ''), true), set_config('role', caller, true);
  return created;
end $$;

-- An ownership offer to `member` by the owner, remembered as 'show/transfer'; a later one replaces the id.
create function tests.transfer(podcast text, member text) returns uuid language plpgsql as $$
declare
  claims  text := current_setting('request.jwt.claims', true);
  created uuid;
begin
  perform set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', p.owner_id)::text, true)
  from public.podcasts p where p.id = tests.id(podcast);
  created := (public.offer_podcast_transfer(tests.id(podcast), tests.id(member))).id;
  perform set_config('request.jwt.claims', coalesce(claims, ''), true), set_config('response.status', '', true);
  delete from tests.ids i where i.name = podcast || '/transfer';
  return tests.remember(podcast || '/transfer', created);
end $$;

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the factories of invitations are created']);
