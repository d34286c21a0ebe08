-- An import of a locked feed, into a new podcast by default. Without an email the feed is rechecked.
create function tests.locked_import(name text, email text default null, owner text default 'ola',
  at timestamptz default now(), podcast text default null) returns jsonb
language plpgsql security definer as $$
begin
  perform tests.podcast(name || '/show', owner) where podcast is null;
  perform tests.import(name, coalesce(podcast, name || '/show'), 'pending'), tests.import_item('a', name);
  return private.finish_staging(tests.id(name), jsonb_build_object('locked', true, 'lockedOwner', email),
    '{"pattern": null, "confidence": 0, "numbers": {}, "conflicts": []}', '[]', at);
end $$;

create function tests.verification_of(import text) returns text language sql security definer as $$
  select (status, verification_method, is_locked_source, locked_owner_email)::text
  from public.podcast_imports where id = tests.id(import)
$$;

-- The status of the import in the result, '<HTTP status> <CODE>' of an error response, or the error.
create function tests.import_status_of(statement text) returns text language plpgsql as $$
declare
  outcome text;
begin
  perform set_config('response.status', '', true);
  outcome := tests.outcome_of(statement);
  if outcome !~ '^\{' then
    return outcome;
  end if;
  return coalesce(current_setting('response.status') || ' ' || (outcome::jsonb ->> 'hint'),
    outcome::jsonb ->> 'status');
end $$;

-- Issues a code as the worker does.
create function tests.issue_ownership_code(import text, code text, at timestamptz default now()) returns timestamptz
language sql security definer as $$
  select private.issue_ownership_code(tests.id(import),
    sha256(decode(private.ownership_code_email(tests.id(import)) ->> 'codeKey', 'hex') || code::bytea), at)
$$;

create function tests.verify_ownership(import text, code text, at timestamptz default now()) returns text
language sql as $$
  select tests.import_status_of(format('select private.verify_import_ownership(tests.id(%L), %L, %L)', import, code,
    at))
$$;

create function tests.recheck_feed(import text, channel jsonb, who text default 'ola') returns text language sql as $$
  select tests.import_status_of(format('select private.finish_feed_recheck(tests.id(%L), %L, tests.id(%L))', import,
    channel, who))
$$;

select unnest(array['1..1', 'ok 1 - the factories of locked imports are created']);  -- a TAP report, for pg_prove
