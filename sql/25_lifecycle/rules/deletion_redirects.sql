-- The URL to which a deleted podcast's feed redirects. Feeds of this service are rejected in every spelling, because
-- they would redirect in a circle, or to a feed that is deleted next.
create function private.require_redirect_url(url text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  base text;
begin
  if url is null then
    return;
  elsif not private.is_parsable_http_url(url) then
    raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL', message =
      'redirect_url must be an http or https URL of at most 2,048 characters, without a user name or password; '
      'write an international host name in punycode (xn--…)';
  elsif private.blocked_url_reason(url) is not null then
    raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL', message =
      'redirect_url must point to the public internet, where podcast apps can read the feed';
  end if;
  foreach base in array array[
    private.get_setting('public_api_url') || '/feeds', private.get_setting('base_url') || '/public/feeds'
  ] loop
    if starts_with(private.comparable_url(url) || '/', private.comparable_url(base) || '/') then
      raise sqlstate 'PT400' using hint = 'INVALID_REDIRECT_URL',
        message = 'redirect_url must not be a feed of this service; enter the URL of the new feed elsewhere';
    end if;
  end loop;
end $$;
comment on function private.require_redirect_url is
  'PT400 INVALID_REDIRECT_URL unless null or an http(s) URL that is not a feed of this service.';
-- No grant: security definer functions call it.
