-- The reasons of losses that SQL adds to those of the feed reader. docs/errors.md explains each.
create function private.import_loss_reasons() returns text[]
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select array[
    'INVALID',
    'LIMIT',
    'MONEY',
    'NOT_COPIED',
    'REPLACED_BY_OURS',
    'SANITIZED',
    'TRUNCATED'
  ]
$$;
comment on function private.import_loss_reasons is
  'Lists the reasons of losses in SQL. Tests compare it with the sources of all functions and with docs/errors.md.';
-- No grant: tests read it.
