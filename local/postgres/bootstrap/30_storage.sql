-- The storage schema of Supabase Storage: buckets, objects and the helpers of policies.
create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
create table storage.buckets (
  id text primary key,
  name text not null unique,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD',
  versioning_status text not null default 'DISABLED',
  lifecycle_configuration jsonb,
  lifecycle_configuration_generation uuid,
  constraint buckets_versioning_status_check check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED')),
  -- As in the service's own migrations until a project may turn versions on: no bucket here keeps versions
  constraint buckets_versioning_dark_check check (versioning_status = 'DISABLED')
);
-- Without versions a name has one row. With them, archived_at is null for the current version only, which is a delete
-- marker if the object is deleted.
create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text constraint "objects_bucketId_fkey" references storage.buckets,
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  archived_at timestamptz,
  is_delete_marker boolean not null default false,
  is_versioned boolean not null default false
);
create unique index objects_bucket_id_name_version_key on storage.objects (bucket_id, name collate "C", version)
  nulls not distinct;
create unique index idx_objects_current_version on storage.objects (bucket_id, name collate "C")
  where archived_at is null;
create unique index idx_objects_null_version on storage.objects (bucket_id, name collate "C") where not is_versioned;
create index idx_objects_delete_markers on storage.objects (bucket_id, name collate "C") where is_delete_marker;
create index idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");
create index idx_objects_bucket_id_name_lower on storage.objects (bucket_id, lower(name) collate "C");
create index name_prefix_search on storage.objects (name text_pattern_ops);

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;

create function storage.foldername(name text) returns text[] language sql immutable as $$
  select (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1]
$$;
create function storage.filename(name text) returns text language sql immutable as $$
  select (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)]
$$;
create function storage.extension(name text) returns text language sql immutable as $$
  select reverse(split_part(reverse(storage.filename(name)), '.', 1))
$$;

-- The operation of the Storage API, for policies that allow single operations.
create function storage.operation() returns text language sql stable as $$
  select current_setting('storage.operation', true)
$$;
create function storage.allow_only_operation(expected_operation text) returns boolean language sql stable as $$
  select expected_operation <> ''
    and coalesce(
      regexp_replace(storage.operation(), '^storage\.', '') = regexp_replace(expected_operation, '^storage\.', ''),
      false)
$$;
create function storage.allow_any_operation(expected_operations text[]) returns boolean language sql stable as $$
  select coalesce(bool_or(storage.allow_only_operation(expected)), false) from unnest(expected_operations) expected
$$;

create function storage.update_updated_at_column() returns trigger language plpgsql as $$
begin
  new.updated_at = now();
  return new;
end $$;
create trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

-- Only the Storage API may delete rows, because it also deletes the bytes.
create function storage.protect_delete() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501', hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end $$;
create trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();
create trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();

create function storage.enforce_bucket_name_length() returns trigger language plpgsql as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end $$;
create trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

create function storage.get_size_by_bucket() returns table (size bigint, bucket_id text) language sql stable as $$
  select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id
$$;

-- Raises PT200 if the caller may insert the object, else the error of the policy.
create function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
language plpgsql as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end $$;

-- The key up to its first delimiter after the prefix; null if it has none there.
create function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) returns text
language sql immutable as $$
  select p_prefix_part || split_part(rest, p_delimiter, 1) || p_delimiter
  from (select left(p_key, length(p_prefix)), substr(p_key, length(p_prefix) + 1)) part (p_prefix_part, rest)
  where strpos(rest, p_delimiter) > 0
$$;

-- Lists folders and objects below a prefix by name, in the order of their keys.
create function storage.list_objects_with_delimiter(
  _bucket_id text,
  prefix_param text,
  delimiter_param text,
  max_keys integer default 100,
  start_after text default '',
  next_token text default '',
  sort_order text default 'asc'
) returns table (
  name text, id uuid, metadata jsonb, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz
) language plpgsql stable as $$
declare
  prefix text := coalesce(prefix_param, '');
  after text := coalesce(nullif(next_token, ''), start_after, '');
  is_ascending boolean := lower(coalesce(sort_order, 'asc')) = 'asc';
begin
  return query execute format($query$
    with below as (
      select o.*, storage.get_common_prefix(o.name, $2, $3) as folder
      from storage.objects o
      where o.bucket_id = $1 and starts_with(o.name, $2) and o.archived_at is null and not o.is_delete_marker
    ), entries as (
      select b.name as key, b.name, b.id, b.metadata, b.updated_at, b.created_at, b.last_accessed_at
      from below b where b.folder is null
      union all
      select distinct b.folder, left(b.folder, -length($3)), null::uuid, null::jsonb, null::timestamptz,
        null::timestamptz, null::timestamptz
      from below b where b.folder is not null
    )
    select e.name, e.id, e.metadata, e.updated_at, e.created_at, e.last_accessed_at from entries e
    where $4 = '' or e.key collate "C" %s $4
    order by e.key collate "C" %s
    limit $5
  $query$, case when is_ascending then '>' else '<' end, case when is_ascending then 'asc' else 'desc' end)
  using _bucket_id, prefix, delimiter_param, after, max_keys;
end $$;

-- Lists folders and objects below a prefix by a time in milliseconds; a folder has the time of its oldest object.
create function storage.search_by_timestamp(
  p_prefix text,
  p_bucket_id text,
  p_limit integer,
  p_level integer,
  p_start_after text,
  p_sort_order text,
  p_sort_column text,
  p_sort_column_after text
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
) language plpgsql stable as $$
declare
  direction text := case when p_sort_order = 'asc' then 'asc' else 'desc' end;
begin
  return query execute format($query$
    with below as (
      select o.*, storage.get_common_prefix(o.name, $1, '/') as folder
      from storage.objects o
      where o.bucket_id = $2 and starts_with(o.name, $1) and o.archived_at is null and not o.is_delete_marker
    ), entries as (
      select b.name as key, b.name, b.id, b.updated_at, b.created_at, b.last_accessed_at, b.metadata
      from below b where b.folder is null
      union all
      select b.folder, rtrim(b.folder, '/'), null::uuid, min(b.created_at), min(b.created_at), null::timestamptz,
        null::jsonb
      from below b where b.folder is not null group by b.folder
    ), timed as (
      select e.*, coalesce(date_trunc('milliseconds', e.%I), 'epoch') as at from entries e
    )
    select split_part(t.name, '/', $3), t.name, t.id, t.updated_at, t.created_at, t.last_accessed_at, t.metadata
    from timed t
    where $5 = '' or (t.at, t.key collate "C") %s (coalesce(nullif($6, '')::timestamptz, 'epoch'), $5)
    order by t.at %3$s, t.key collate "C" %3$s
    limit $4
  $query$, p_sort_column, case direction when 'asc' then '>' else '<' end, direction)
  using coalesce(p_prefix, ''), p_bucket_id, p_level, p_limit, coalesce(p_start_after, ''), p_sort_column_after;
end $$;

-- The listing of POST object/list-v2 with a delimiter. Unknown orders and columns mean the default values.
create function storage.search_v2(
  prefix text,
  bucket_name text,
  limits integer default 100,
  levels integer default 1,
  start_after text default '',
  sort_order text default 'asc',
  sort_column text default 'name',
  sort_column_after text default ''
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
) language plpgsql stable as $$
declare
  max_rows integer := least(coalesce(limits, 100), 1500);
  direction text := case when lower(sort_order) = 'desc' then 'desc' else 'asc' end;
begin
  if lower(sort_column) in ('created_at', 'updated_at') then
    return query select * from storage.search_by_timestamp(
      prefix, bucket_name, max_rows, levels, start_after, direction, lower(sort_column), sort_column_after);
  else
    return query
      select split_part(l.name, '/', levels), l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
      from storage.list_objects_with_delimiter(bucket_name, prefix, '/', max_rows, start_after, '', direction) l;
  end if;
end $$;

-- The listing of POST object/list: names relative to the prefix, without regard to case.
create function storage.search(
  prefix text,
  bucketname text,
  limits integer default 100,
  levels integer default 1,
  offsets integer default 0,
  search text default '',
  sortcolumn text default 'name',
  sortorder text default 'asc'
) returns table (
  name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) language plpgsql stable as $$
declare
  start text := coalesce(prefix, '') || coalesce(search, '');
  direction text := case when lower(coalesce(sortorder, 'asc')) = 'asc' then 'asc' else 'desc' end;
  time_column text := lower(sortcolumn);
  time_order text := '';
begin
  -- Sorted by name, folders and objects mix. Sorted by a time, which folders lack, folders are first
  if time_column in ('updated_at', 'created_at', 'last_accessed_at') then
    time_order := format('e.id is not null, e.%I %s,', time_column, direction);
  end if;
  return query execute format($query$
    with below as (
      select o.*, storage.get_common_prefix(o.name, $1, '/') as folder
      from storage.objects o
      where o.bucket_id = $2 and starts_with(lower(o.name), lower($1))
        and o.archived_at is null and not o.is_delete_marker
    ), entries as (
      select b.name as key, b.id, b.updated_at, b.created_at, b.last_accessed_at, b.metadata
      from below b where b.folder is null
      union all
      select min(b.folder), null::uuid, null::timestamptz, null::timestamptz, null::timestamptz, null::jsonb
      from below b where b.folder is not null group by lower(b.folder)
    )
    select rtrim(substr(e.key, $3 + 1), '/'), e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata
    from entries e
    order by %s lower(e.key) collate "C" %s
    limit $4 offset $5
  $query$, time_order, direction)
  using start, bucketname, length(coalesce(prefix, '')), least(coalesce(limits, 100), 1500), coalesce(offsets, 0);
end $$;
