-- Puts all of an episode's credits into a new order.
create function private.reorder_episode_credits(episode_id uuid, credit_ids uuid[]) returns jsonb
language plpgsql volatile security definer  -- clients have no grant on credits
set search_path = ''
as $$
declare
  present uuid[];
begin
  perform private.lock_roster_for_edit(reorder_episode_credits.episode_id);
  if coalesce(cardinality(credit_ids), 0) = 0 then
    raise sqlstate 'PT400' using message = 'creditIds is empty', hint = 'EMPTY_CREDIT_LIST';
  elsif cardinality(credit_ids) <> (select count(distinct id) from unnest(credit_ids) id) then
    raise sqlstate 'PT400' using message = 'creditIds names a credit twice', hint = 'DUPLICATE_CREDIT';
  end if;
  present := array(select c.id from public.episode_credits c where c.episode_id = reorder_episode_credits.episode_id);
  if not credit_ids <@ present then
    raise sqlstate 'PT400' using message = 'creditIds names a credit that is not of this episode', hint = 'UNKNOWN_CREDIT';
  elsif cardinality(credit_ids) <> cardinality(present) then
    raise sqlstate 'PT400' using message = 'creditIds must name every credit of the episode', hint = 'INCOMPLETE_CREDIT_LIST';
  end if;
  update public.episode_credits c set display_order = wanted.place - 1
  from unnest(credit_ids) with ordinality wanted (id, place)
  where c.id = wanted.id;
  return jsonb_build_object('episodeId', reorder_episode_credits.episode_id, 'order', to_jsonb(credit_ids));
end $$;
comment on function private.reorder_episode_credits is 'reorder_episode_credits'' half behind the grants.';
grant execute on function private.reorder_episode_credits to authenticated;  -- checks the role itself

create function public.reorder_episode_credits(episode_id uuid, credit_ids uuid[]) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.reorder_episode_credits(reorder_episode_credits.episode_id, reorder_episode_credits.credit_ids);
end $$;
comment on function public.reorder_episode_credits is
  'PUT …/credits/reorder: {episodeId, order}. Needs admin+. 400 EMPTY_CREDIT_LIST, DUPLICATE_CREDIT, UNKNOWN_CREDIT, INCOMPLETE_CREDIT_LIST, 403, 404, 409.';
grant execute on function public.reorder_episode_credits to authenticated;
