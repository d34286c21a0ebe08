-- The login of a feed behind Basic auth (RFC 7617), in its URL or beside it. It is never part of a stored URL.
create function private.split_feed_login(
  feed_url text, username text, password text, out url text, out login jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  parts constant text[] := regexp_match(left(feed_url, 4096),
    '^\s*(https?://)([^\s/?#:]*)(?::([^\s/?#]*))?@([^\s/?#@]*(?:[/?#].*)?)$', 'i');
begin
  url := case when parts is null then feed_url else parts[1] || parts[4] end;
  if num_nonnulls(username, password) = 0 and parts is not null then
    username := private.decode_path_segment(parts[2]);
    password := coalesce(private.decode_path_segment(parts[3]), '');
  end if;
  if num_nonnulls(username, password) = 0 then
    return;
  elsif coalesce(username, '') = '' or password is null then
    raise sqlstate 'PT400' using message = 'A feed with a login needs feed_username and feed_password';
  elsif char_length(username) > 255 or char_length(password) > 1000 or username ~ '[:[:cntrl:]]'
      or password ~ '[[:cntrl:]]' then
    raise sqlstate 'PT400' using message =
      'feed_username must have up to 255 characters and no colon, and feed_password up to 1,000';
  elsif url !~* '^https:' and not private.is_allowed_host(url) then
    raise sqlstate 'PT400' using hint = 'INVALID_URL', message = 'A feed with a login must use https';
  end if;
  login := jsonb_build_object('username', username, 'password', password);
end $$;
comment on function private.split_feed_login is
  'The URL of a feed without a login, and the login {username, password}: the one given beside the URL, else that of '
  'the URL. PT400 for an incomplete or invalid login, and INVALID_URL for a login without https.';

create function private.store_import_login(_import_id uuid, login jsonb) returns void
language sql volatile security invoker set search_path = ''
as $$
  insert into private.import_credentials (import_id, secret_id)
  select _import_id, vault.create_secret(login::text) where login is not null
$$;
comment on function private.store_import_login is 'Stores the login of a new import''s feed in Vault, if it has one.';
