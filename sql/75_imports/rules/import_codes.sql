-- The machine codes that SQL stores in imports and their items (error_code, warnings), besides private.error_codes().
-- docs/errors.md explains each.
create function private.import_codes() returns text[]
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select array[
    'CHANNEL_BLOCKED',
    'DATE_ESTIMATED',
    'DATE_IN_FUTURE',
    'FEED_HAS_MOVED',
    'FEED_MOVED_HERE',
    'GUID_TOO_LONG',
    'INVALID_IMAGE',
    'RETRIES_EXHAUSTED',
    'TEXT_TRUNCATED',
    'TRANSCRIPT_REPAIRED',
    'VALUE_BLOCK_LOST'
  ]
$$;
comment on function private.import_codes is
  'Lists the machine codes of imports in SQL. Tests compare it with the sources of all functions and with '
  'docs/errors.md.';
-- No grant: tests read it.
