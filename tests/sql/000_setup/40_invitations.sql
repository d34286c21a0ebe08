-- An invitation to a team, as `inviter` sends it; called by podcast and address: 'show/eve@test.example'. The same name
-- again names the new one.
create function tests.invitation(podcast text, email text, inviter text, role public.podcast_role default 'member') returns uuid
language plpgsql as $$
declare
  before text := current_setting('request.jwt.claims', true);
  caller text := current_setting('role');
  made   uuid;
begin
  perform tests.act_as(inviter);
  made := (public.invite_podcast_member(tests.id(podcast), email, role)).id;
  perform set_config('role', 'postgres', true);
  delete from tests.ids i where i.name = podcast || '/' || email;
  perform tests.remember(podcast || '/' || email, made);
  perform set_config('request.jwt.claims', coalesce(before, ''), true), set_config('role', caller, true);
  return made;
end $$;

select unnest(array['1..1', 'ok 1 - the factories of invitations are created']);  -- a TAP report, as each file of a pg_prove run has
