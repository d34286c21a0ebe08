-- A guest of an episode whose access token is their name.
create function tests.guest_with_token(name text, episode text, status public.episode_guest_status default 'invited')
returns uuid
language plpgsql security definer as $$
begin
  perform tests.guest(guest_with_token.name, guest_with_token.episode, guest_with_token.status);
  insert into private.guest_invitations (episode_guest_id) values (tests.id(episode || '/' || name));
  insert into private.access_tokens (kind, subject_id, digest, expires_at)
  values ('guest_invitation', tests.id(episode || '/' || name), sha256(convert_to(name, 'UTF8')),
    now() + interval '90 days');
  return tests.id(episode || '/' || name);
end $$;

select unnest(array['1..1', 'ok 1 - the factories of guests are created']);  -- a TAP report, for pg_prove
