-- Events from before notifications existed. They become read notifications, without emails and pushes: users can
-- look them up, and are not disturbed by old news.
create function private.past_event_recipients(type text, payload jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  podcast_id uuid := payload ->> 'podcast_id';
begin
  return case
    when not private.has_subject(payload) then '[]'
    when payload ? 'user_id' then private.user_recipients((payload ->> 'user_id')::uuid)
    when type = 'podcast.member_invited' then private.invited_user_recipients((payload ->> 'invitation_id')::uuid)
    when type = 'guest.accepted' then private.team_recipients(podcast_id, 'admin', (
      select g.user_id from public.podcast_guests g where g.id = (payload ->> 'podcast_guest_id')::uuid))
    else private.team_recipients(podcast_id, except_user_id => case
      when type <> 'podcast.deletion_scheduled' then (payload ->> 'actor_id')::uuid end) end;
end $$;
comment on function private.past_event_recipients is 'The recipients of an event that was recorded without them.';

create function private.fan_out_past_events() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  event_ids bigint[];
begin
  with past as (
    update private.events e set recipients = private.past_event_recipients(e.type, e.payload)
    where e.processed_at is null and e.recipients is null
      and e.type in (select t.type from public.notification_types t)
    returning e.id)
  select array_agg(p.id) into event_ids from past p;
  if event_ids is not null then
    perform private.fan_out_events(event_ids, is_past => true);
  end if;
end $$;
comment on function private.fan_out_past_events is
  'Part of private.install(): events without recipients become read notifications. Safe to repeat.';
