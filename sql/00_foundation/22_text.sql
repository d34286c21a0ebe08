-- Text and web addresses as people write them.
create function private.slugify(title text, otherwise text) returns text
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
declare
  slug text;
begin
  -- letters and digits of any script and their combining marks stay; everything else parts words
  slug := lower(normalize(extensions.unaccent(normalize(coalesce(title, ''), NFKC)), NFC));
  slug := regexp_replace(slug, '[''’ʼ]', '', 'g');
  slug := regexp_replace(slug, '[^[:alnum:]\u0300-\u036f\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u200c\u200d]+', '-', 'g');
  slug := btrim(left(btrim(slug, '-'), 80), '-');
  return coalesce(nullif(slug, ''), otherwise);
end $$;
comment on function private.slugify is 'A slug from a title in any script, at most 80 characters, or `otherwise` when nothing of it can stand in a URL.';
revoke all on function private.slugify from public, anon, authenticated, service_role;

create function private.is_http_url(url text) returns boolean
language sql immutable parallel safe set search_path = ''
as $$ select url ~* '^https?://[^\s/?#]+\S*$' and char_length(url) <= 2048 $$;
comment on function private.is_http_url is 'True for an absolute http or https URL of at most 2,048 characters without white space.';
revoke all on function private.is_http_url from public, anon, authenticated, service_role;
grant execute on function private.is_http_url to authenticated, service_role;  -- check constraints run as the writer
