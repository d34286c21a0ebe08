-- Calendar entries that emails invited to: a cancellation needs an invitation, and the organizer of the first stays.
create table private.calendar_invitations (
  uid          text not null,
  email_digest bytea not null,        -- of the recipient's address, so that the table holds none
  organizer    text not null,         -- an address
  ends_at      timestamptz not null,  -- of the event, as it was sent last
  primary key (uid, email_digest),
  constraint email_digest_is_sha256 check (octet_length(email_digest) = 32)
);
comment on table private.calendar_invitations is
  'Which addresses were sent which calendar entry, and its organizer. begin_email_delivery writes it, and '
  'purge_notifications deletes rows 30 days after the event.';
create index calendar_invitations_ends_at_idx on private.calendar_invitations (ends_at);
alter table private.calendar_invitations enable row level security;
-- No policy, no grant.

create function private.invite_to_calendar(content jsonb, sender_address text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  event       jsonb := nullif(content -> 'calendarEvent', 'null');
  uid         constant text := event ->> 'uid';
  digest      constant bytea := private.email_digest(content #>> '{to,address}');
  is_invited  constant boolean := exists (
    select from private.calendar_invitations i where i.uid = event ->> 'uid' and i.email_digest = digest);
  organizer   constant text := coalesce(
    (select i.organizer from private.calendar_invitations i where i.uid = event ->> 'uid' limit 1),
    event #>> '{organizer,email}', sender_address);
  is_attached constant boolean := coalesce(organizer is not null
    and (is_invited or event ->> 'method' = 'REQUEST' and (content ->> 'hasSession')::boolean is not true), false);
begin
  if is_attached then
    insert into private.calendar_invitations as i (uid, email_digest, organizer, ends_at)
    values (uid, digest, organizer, (event ->> 'end')::timestamptz)
    on conflict on constraint calendar_invitations_pkey do update set ends_at = excluded.ends_at;
    event := jsonb_set(event, '{organizer,email}', to_jsonb(organizer));
  end if;
  return (content - 'hasSession') || jsonb_build_object('calendarEvent', case when is_attached then event end);
end $$;
comment on function private.invite_to_calendar is
  'The content of an email with the organizer of its calendar entry: the first one that anyone was sent, else that of '
  'the event, else the sender of emails. No entry is attached that cancels what the address was not invited to, or '
  'invites a host whose connected calendar has the session.';
