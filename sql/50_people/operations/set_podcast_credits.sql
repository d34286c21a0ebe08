-- Replaces the credits of a podcast. Safe to repeat.
create function private.set_podcast_credits(_podcast_id uuid, credits jsonb) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on credits
set search_path = ''
as $$
declare
  credit jsonb;
begin
  perform private.require_role(_podcast_id, 'admin');
  if jsonb_typeof(credits) is distinct from 'array' or jsonb_array_length(credits) > 50 then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'credits: must be a list of at most 50 credits';
  end if;
  for credit in select value from jsonb_array_elements(credits) loop
    perform private.validate_changes(credit, '{"name": ["string"], "roleLabel": ["string"],
      "avatarUrl": ["string", "null"], "externalUrl": ["string", "null"]}');
    perform private.validate_person_fields(credit ->> 'name', credit ->> 'roleLabel', credit ->> 'avatarUrl',
      credit ->> 'externalUrl');
    if not credit ? 'roleLabel' then
      raise sqlstate 'PT400' using message = 'Invalid request', detail = 'roleLabel: is required';
    end if;
    perform private.require_credit_role_label(credit ->> 'roleLabel');
  end loop;
  perform private.require_writable_podcast(_podcast_id);
  return jsonb_build_object('podcastId', _podcast_id,
    'credits', private.replace_podcast_credits(_podcast_id, credits));
end $$;
grant execute on function private.set_podcast_credits to authenticated;

create function public.set_podcast_credits(podcast_id uuid, credits jsonb) returns jsonb
language sql volatile security invoker set search_path = ''
return private.set_podcast_credits(podcast_id, credits);
comment on function public.set_podcast_credits is
  'Replaces the credits of a podcast by [{name, roleLabel, avatarUrl?, externalUrl?}], at most 50 in feed order: '
  '{podcastId, credits}. Requires admin. 400 INVALID_ROLE_LABEL, 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.set_podcast_credits to authenticated;
