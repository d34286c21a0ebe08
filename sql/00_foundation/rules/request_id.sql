-- The id of the request that causes what a transaction writes. The edge functions pass it with each statement
-- (limit_statement), the worker that of the message it works on; over REST it is the platform's. Messages carry it, so
-- that a failure is found from the request, and the request from a failure.
create function private.request_id() returns text
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
declare
  id constant text := coalesce(nullif(current_setting('castbase.request_id', true), ''),
    nullif(current_setting('request.headers', true), '')::jsonb ->> 'sb-request-id');
begin
  return case when id ~ '^[\w-]{1,64}$' then id end;
end $$;
comment on function private.request_id is
  'The id of the request that this transaction belongs to, of at most 64 characters; null without one. A client that '
  'calls REST past the platform''s gateway can choose it.';
-- No grant: what writes messages runs as its owner.

create function private.message_headers(_request_id text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return case when _request_id is not null then jsonb_build_object('request_id', _request_id) end;
end $$;
comment on function private.message_headers is 'The headers of a new message: {request_id}, or null without one.';
