-- Corrects where the feed of a deleted podcast leads, for a year; null ends the redirect. The account that owned the
-- podcast when it was deleted proves the right to it; other callers do not learn whether there was a podcast.
create function private.update_deleted_podcast_redirect(
  _podcast_id uuid, _redirect_url text, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no grant on tombstones
set search_path = ''
as $$
declare
  tombstone private.podcast_tombstones;
begin
  perform private.consume_plan_rate_limit('redirect_changes', at);
  select * into tombstone from private.podcast_tombstones t
  where t.podcast_id = _podcast_id and t.owner_id = auth.uid()
    and at < private.correctable_until(t.deleted_at) for update;
  if not found then
    raise sqlstate 'PT404' using message =
      'Podcast not found; a redirect can be corrected for a year after the deletion, by the account that owned the '
      'podcast';
  elsif tombstone.hosting_type = 'external' then
    raise sqlstate 'PT409' using hint = 'PODCAST_HOSTED_EXTERNALLY',
      message = 'The podcast was hosted elsewhere and had no feed here; set the redirect at its host';
  end if;
  perform private.require_redirect_url(_redirect_url, _podcast_id);
  perform private.write_feed_redirect(_podcast_id, _redirect_url, at => at);
  return jsonb_build_object('deleted_at', private.format_timestamp(tombstone.deleted_at), 'correctable_until',
    private.format_timestamp(private.correctable_until(tombstone.deleted_at)), 'redirect_url', _redirect_url)
    || private.redirect_json(_podcast_id);
end $$;
grant execute on function private.update_deleted_podcast_redirect to authenticated;

create function public.update_deleted_podcast_redirect(podcast_id uuid, redirect_url text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.update_deleted_podcast_redirect(podcast_id, redirect_url);
comment on function public.update_deleted_podcast_redirect is
  'PUT /api/podcast-lifecycle/{podcastId}/deleted-redirect: {deleted_at, correctable_until, redirect_url, '
  'redirect_starts_at, redirect_check}, as get_podcast_lifecycle. Null ends the redirect. Only the account that owned '
  'the podcast when it was deleted, for a year; 404 for all others. 400 INVALID_REDIRECT_URL, 409 '
  'PODCAST_HOSTED_EXTERNALLY, 429.';
grant execute on function public.update_deleted_podcast_redirect to authenticated;
