-- Suppressions: addresses that get no email, or none of one type, because the provider reported a complaint or a bounce
-- or the person unsubscribed. Emails that are essential stop after a bounce only. A person can unsubscribe from one
-- podcast's emails of a type, or from those of all podcasts; what they last said about one podcast wins.
create table private.email_suppressions (
  digest     bytea not null,   -- sha256 of the address in lower case, so that the table holds no addresses
  type       text,             -- of notification; null: all emails that are not essential
  podcast_id uuid,             -- whose emails; null: those of all podcasts
  reason     text not null,
  detail     text,             -- of the provider
  is_lifted  boolean not null default false,  -- wants this podcast's emails, although those of all podcasts are off
  created_at timestamptz not null default now(),
  constraint digest_is_sha256 check (octet_length(digest) = 32),
  constraint reason_is_known check (reason in ('complaint', 'bounce', 'unsubscribed')),
  constraint detail_is_at_most_1000_chars check (char_length(detail) <= 1000),
  constraint only_unsubscribed_has_podcast check (podcast_id is null or type is not null and reason = 'unsubscribed'),
  constraint only_podcasts_are_lifted check (not is_lifted or podcast_id is not null),
  constraint digest_unique_per_type_podcast_and_reason unique nulls not distinct (digest, type, podcast_id, reason)
);
comment on table private.email_suppressions is
  'Addresses that get no email that is not essential, or none of one type, of one podcast or all. Each reason has a '
  'row, with its first time.';
create index email_suppressions_podcast_id_idx on private.email_suppressions (podcast_id) where podcast_id is not null;
alter table private.email_suppressions enable row level security;
-- No policy, no grant.

create function private.email_digest(email text) returns bytea
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return sha256(convert_to(private.normalize_email(email), 'UTF8'));
end $$;
comment on function private.email_digest is 'The digest of an email address in private.email_suppressions.';

create function private.suppress_email(
  digest bytea, reason text, type text default null, detail text default null, at timestamptz default now(),
  podcast_id uuid default null) returns void
language sql volatile security invoker set search_path = ''
as $$
  -- what ends the emails of all podcasts is newer than what was said about one
  delete from private.email_suppressions s where s.digest = $1 and s.type = $3 and s.is_lifted and $6 is null;
  insert into private.email_suppressions as s (digest, type, podcast_id, reason, detail, created_at)
  select $1, $3, $6, $2, left($4, 1000), $5 where $1 is not null
  on conflict on constraint digest_unique_per_type_podcast_and_reason
    do update set is_lifted = false, created_at = excluded.created_at where s.is_lifted
$$;
comment on function private.suppress_email is
  'Stops emails of a type to an address (its digest; null: nothing happens), of one podcast or all, or all that are '
  'not essential; after a bounce the essential ones, too. A later reason is added, a repeated one changes nothing.';

create function private.lift_unsubscription(
  _digest bytea, _type text, _podcast_id uuid default null, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  delete from private.email_suppressions s
  where (s.digest, s.type, s.reason) = (_digest, _type, 'unsubscribed')
    and (s.podcast_id is not distinct from _podcast_id or _podcast_id is null and s.is_lifted);
  insert into private.email_suppressions (digest, type, podcast_id, reason, is_lifted, created_at)
  select s.digest, s.type, _podcast_id, s.reason, true, at from private.email_suppressions s
  where (s.digest, s.type, s.reason) = (_digest, _type, 'unsubscribed') and s.podcast_id is null
  on conflict on constraint digest_unique_per_type_podcast_and_reason do update set is_lifted = true;
end $$;
comment on function private.lift_unsubscription is
  'Lets emails of a type be sent again, which a person ended. With a podcast: its emails, even if the person ended '
  'those of all podcasts. Without: what was ended for all podcasts; podcasts that were ended one by one stay so.';

create function private.suppressions_of(_email text, _type text default null, _podcast_id uuid default null)
returns setof private.email_suppressions
language plpgsql stable rows 1 security invoker set search_path = ''
as $$
declare
  email_digest constant bytea := private.email_digest(_email);
begin
  return query
    select s.* from private.email_suppressions s
    where s.digest = email_digest and (s.type is null or s.type = _type) and not s.is_lifted
      and (s.podcast_id = _podcast_id or s.podcast_id is null and not exists (
        select from private.email_suppressions l
        where l.digest = email_digest and l.type = s.type and l.podcast_id = _podcast_id and l.is_lifted));
end $$;
comment on function private.suppressions_of is
  'What stops emails to an address: all that are not essential, or those of a type and of a podcast.';

create function private.is_email_suppressed(email text, type text default null, podcast_id uuid default null)
returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return exists (select from private.suppressions_of(email, type, podcast_id));
end $$;
comment on function private.is_email_suppressed is
  'Whether an address gets no emails that are not essential, or none of this type and podcast.';
