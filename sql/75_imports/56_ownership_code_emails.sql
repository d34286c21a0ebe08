-- What the worker does with a request for an ownership code: it reads whom to mail, makes six digits, leaves their digest
-- here and mails them. The digits themselves are nowhere but in the mail.
create function private.ownership_code_email(import_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('to', o.owner_email, 'podcastTitle', p.title, 'feedUrl', i.feed_url, 'codeKey', encode(o.code_key, 'hex'))
  from private.import_owner_verifications o
  join public.podcast_imports i on i.id = o.import_id
  join public.podcasts p on p.id = i.podcast_id
  where o.import_id = $1 and i.status = 'verification_required' and i.verification_method = 'email_code'
$$;
comment on function private.ownership_code_email is
  'Whom to mail a code, for which podcast and feed, and the key that goes into its digest; null when nobody waits for one any more.';

create function private.issue_ownership_code(import_id uuid, digest bytea, at timestamptz default now()) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  ends_at timestamptz := issue_ownership_code.at + interval '15 minutes';
begin
  perform from public.podcast_imports i
  where i.id = issue_ownership_code.import_id and i.status = 'verification_required' and i.verification_method = 'email_code'
  for no key update;
  if not found then
    return null;
  end if;
  update private.import_owner_verifications o set code_hash = digest, code_expires_at = ends_at, failed_attempts = 0, issued_at = issue_ownership_code.at
  where o.import_id = issue_ownership_code.import_id;
  return case when found then ends_at end;
end $$;
comment on function private.issue_ownership_code is
  'From now on the code with this digest, sha256(codeKey || code), opens the import, and none before. When it expires; null when nobody waits for one any more.';
