-- Reorders all credits of an episode.
create function private.reorder_episode_credits(_episode_id uuid, credit_ids uuid[]) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on credits
set search_path = ''
as $$
declare
  existing_ids uuid[];
begin
  perform private.lock_roster_for_edit(_episode_id);
  if coalesce(cardinality(credit_ids), 0) = 0 then
    raise sqlstate 'PT400' using message = 'creditIds must not be empty', hint = 'EMPTY_CREDIT_LIST';
  elsif cardinality(credit_ids) <> (select count(distinct id) from unnest(credit_ids) id) then
    raise sqlstate 'PT400' using message = 'creditIds contains a duplicate', hint = 'DUPLICATE_CREDIT';
  end if;
  existing_ids := array(
    select c.id from public.episode_credits c where c.episode_id = _episode_id);
  if not credit_ids <@ existing_ids then
    raise sqlstate 'PT400' using message = 'creditIds contains a credit that does not belong to this episode',
      hint = 'UNKNOWN_CREDIT';
  elsif cardinality(credit_ids) <> cardinality(existing_ids) then
    raise sqlstate 'PT400' using message = 'creditIds must contain every credit of the episode',
      hint = 'INCOMPLETE_CREDIT_LIST';
  end if;
  update public.episode_credits c set display_order = requested.position - 1
  from unnest(credit_ids) with ordinality requested (id, position)
  where c.id = requested.id;
  return jsonb_build_object('episodeId', _episode_id, 'order', to_jsonb(credit_ids));
end $$;
grant execute on function private.reorder_episode_credits to authenticated;

create function public.reorder_episode_credits(episode_id uuid, credit_ids uuid[]) returns jsonb
language sql volatile security invoker set search_path = ''
return private.reorder_episode_credits(episode_id, credit_ids);
comment on function public.reorder_episode_credits is
  'PUT …/credits/reorder: {episodeId, order}. Requires admin. 400 EMPTY_CREDIT_LIST, DUPLICATE_CREDIT, UNKNOWN_CREDIT '
  'or INCOMPLETE_CREDIT_LIST, 403, 404, 409 PODCAST_PENDING_DELETION.';
grant execute on function public.reorder_episode_credits to authenticated;
