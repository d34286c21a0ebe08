-- Calendar entries that emails invited to: a cancellation needs an invitation, each entry has a higher sequence than
-- the one before, and the organizer of the first stays.
create table private.calendar_invitations (
  uid          text not null,
  email_digest bytea not null,        -- of the recipient's address, so that the table holds none
  organizer    text not null,         -- an address
  sequence     int not null,          -- of the event, as it was sent last
  ends_at      timestamptz not null,  -- likewise
  last_email_id uuid not null,        -- of the delivery whose email that was
  primary key (uid, email_digest),
  constraint email_digest_is_sha256 check (octet_length(email_digest) = 32)
);
comment on table private.calendar_invitations is
  'Which addresses were sent which calendar entry, and its organizer. begin_email_delivery writes it, and '
  'purge_notifications deletes rows 30 days after the event.';
create index calendar_invitations_ends_at_idx on private.calendar_invitations (ends_at);
alter table private.calendar_invitations enable row level security;
-- No policy, no grant.

create function private.is_outdated_invitation(content jsonb) returns boolean
language sql stable security invoker set search_path = ''
return exists (
  select from private.calendar_invitations i
  where i.uid = $1 #>> '{calendarEvent,uid}' and i.email_digest = private.email_digest($1 #>> '{to,address}')
    and i.sequence > ($1 #> '{calendarEvent,sequence}')::int);
comment on function private.is_outdated_invitation is
  'Whether the recipient of an email was sent a newer state of its calendar entry.';

create function private.invite_to_calendar(content jsonb, sender_address text, _delivery_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  event       jsonb := nullif(content -> 'calendarEvent', 'null');
  uid         constant text := event ->> 'uid';
  revision    constant int := event -> 'sequence';
  digest      constant bytea := private.email_digest(content #>> '{to,address}');
  is_needed   constant boolean := coalesce(
    (select i.sequence < revision or i.last_email_id = _delivery_id from private.calendar_invitations i
      where i.uid = event ->> 'uid' and i.email_digest = digest),
    event ->> 'method' = 'REQUEST' and (content ->> 'hasSession')::boolean is not true);
  organizer   constant text := coalesce(
    (select i.organizer from private.calendar_invitations i where i.uid = event ->> 'uid' limit 1),
    event #>> '{organizer,email}', sender_address);
  is_attached constant boolean := coalesce(organizer is not null and is_needed, false);
begin
  if is_attached then
    insert into private.calendar_invitations as i (uid, email_digest, organizer, sequence, ends_at, last_email_id)
    values (uid, digest, organizer, revision, (event ->> 'end')::timestamptz, _delivery_id)
    on conflict on constraint calendar_invitations_pkey do update set
      sequence = excluded.sequence, ends_at = excluded.ends_at, last_email_id = excluded.last_email_id;
    event := jsonb_set(event, '{organizer,email}', to_jsonb(organizer));
  end if;
  return (content - 'hasSession') || jsonb_build_object('calendarEvent', case when is_attached then event end);
end $$;
comment on function private.invite_to_calendar is
  'The content of an email with the organizer of its calendar entry: the first one that anyone was sent, else that of '
  'the event, else the sender of emails. No entry is attached that cancels what the address was not invited to, '
  'that an earlier email has sent, or that invites a host whose connected calendar has the session.';
