-- How the worker sends an ownership code: it reads the recipient, derives six digits from the request's key and its own
-- secret, stores their digest here and emails them. Only the email contains the digits. Suppressed addresses get codes,
-- because a feed that names them asks for them.
create function private.ownership_code_email(import_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('to', v.owner_email, 'language', l.language, 'locale', l.locale,
    -- the owner did not ask for the email: it leads nowhere
    'podcastTitle', coalesce(
      private.without_links(p.title), private.get_text(l.language, 'name.podcast')),
    'feedUrl', private.without_active_links(i.feed_url), 'codeKey', encode(v.code_key, 'hex'))
  from private.import_owner_verifications v
  join public.podcast_imports i on i.id = v.import_id
  join public.podcasts p on p.id = i.podcast_id
  cross join lateral private.email_locale(v.owner_email, p.language) e (locale)
  cross join lateral (select private.language_of(e.locale), private.text_locale_of(e.locale)) l (language, locale)
  where v.import_id = $1 and i.status = 'verification_required' and i.verification_method = 'email_code'
$$;
grant execute on function private.ownership_code_email to service_role;
comment on function private.ownership_code_email is
  'The recipient, podcast and feed of an ownership code, without links, and the key of its digest; null when the '
  'import no longer waits for a code.';

create function private.issue_ownership_code(_import_id uuid, digest bytea, at timestamptz default now())
returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  expires_at timestamptz := at + interval '15 minutes';
begin
  perform from public.podcast_imports i
  where i.id = _import_id and i.status = 'verification_required'
    and i.verification_method = 'email_code'
  for no key update;
  if not found then
    return null;
  end if;
  update private.import_owner_verifications v set
    code_hash = digest, code_expires_at = expires_at, failed_attempts = 0, issued_at = at
  where v.import_id = _import_id
    and (v.code_hash is distinct from digest or v.code_expires_at <= at);
  if not found then  -- a repeated attempt sends the same email
    select v.code_expires_at into expires_at from private.import_owner_verifications v
    where v.import_id = _import_id;
  end if;
  return case when found then expires_at end;
end $$;
grant execute on function private.issue_ownership_code to service_role;
comment on function private.issue_ownership_code is
  'Makes the code with this digest, sha256(codeKey || code), the only valid one. Returns when it expires, which is '
  'unchanged for the same code; null when the import no longer waits for a code.';
