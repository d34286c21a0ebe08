-- Counts the podcasts that a user creates, by create_podcast or an insert, against their plan. Deleted ones count
-- for 90 days, because each leaves a slug and a tombstone, and external podcasts are deleted at once.
create function private.limit_podcast_creation() returns trigger
language plpgsql security definer  -- clients may not read the counts
set search_path = ''
as $$
declare
  period       constant interval := '90 days';
  max_podcasts int;
  deleted_at   timestamptz[];
  excess       int;
begin
  perform private.consume_plan_rate_limit('podcasts');  -- locks a row, which makes the count below exact
  perform from public.profiles f where f.id = auth.uid() for key share;  -- a deletion of the account waits, or is seen
  perform private.require_account();
  max_podcasts := private.plan_limit('max_podcasts_per_account', auth.uid());
  deleted_at := array(
    select t.deleted_at from private.podcast_tombstones t
    where t.owner_id = auth.uid() and t.deleted_at > now() - period order by 1);
  excess := 1 - max_podcasts + cardinality(deleted_at)
    + (select count(*) from public.podcasts p where p.owner_id = auth.uid() and not p.is_being_deleted);
  if excess > 0 then
    raise sqlstate 'PT429' using
      -- that of a podcast deleted now, if those deleted before are too few
      detail = jsonb_build_object('rate_limit_reset_at',
        private.format_timestamp(coalesce(deleted_at[excess], now()) + period))::text,
      message = format('The plan includes at most %s podcasts, with those deleted in the last 90 days; '
        'transfer one, or try again later', max_podcasts),
      hint = 'TOO_MANY_PODCASTS';
  end if;
  return new;
end $$;
-- before t100, which locks the slug; the service has no limit
create trigger t050_limit_creation before insert on public.podcasts
  for each row when (auth.uid() is not null) execute function private.limit_podcast_creation();
