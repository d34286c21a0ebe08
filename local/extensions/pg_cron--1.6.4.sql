-- pg_cron 1.6.4 without its C library: the real tables, policies, functions, messages and grants.
-- Functions with a leading underscore are of the local stack. Its launcher, local/extensions/cron.ts, receives NOTIFY
-- pg_cron when a change commits, only from the database of this extension.
create schema cron;
create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid    bigint primary key default nextval('cron.jobid_seq'),
  schedule text not null,
  command  text not null,
  nodename text not null default 'localhost',
  nodeport int not null default inet_server_port(),
  database text not null default current_database(),
  username text not null default current_user,
  active   boolean not null default true,
  jobname  text,
  constraint jobname_username_uniq unique (jobname, username)
);
alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);

create table cron.job_run_details (
  jobid          bigint,
  runid          bigint primary key default nextval('cron.runid_seq'),
  job_pid        integer,
  database       text,
  username       text,
  command        text,
  status         text,
  return_message text,
  start_time     timestamptz,
  end_time       timestamptz
);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

select pg_extension_config_dump('cron.job', '');
select pg_extension_config_dump('cron.jobid_seq', '');
select pg_extension_config_dump('cron.job_run_details', '');
select pg_extension_config_dump('cron.runid_seq', '');

create function cron.job_cache_invalidate() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_catalog.pg_notify('pg_cron', '');
  return null;
end $$;
comment on function cron.job_cache_invalidate() is 'invalidate job cache';
create trigger cron_job_cache_invalidate after insert or update or delete or truncate
  on cron.job for statement execute function cron.job_cache_invalidate();

-- Schedules, parsed as by Vixie cron

create function cron._field(spec text, low int, high int, names text[] default '{}') returns int[]
language plpgsql immutable strict set search_path = '' as $$
declare
  part text; bounds text[]; step int; first int; last int; found int[] := '{}';
begin
  foreach part in array string_to_array(lower(spec), ',') loop
    bounds := regexp_match(part, '^(?:(\*)|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:/([0-9]{1,4}))?$');
    if bounds is null then return null; end if;
    if bounds[1] is not null then
      first := low; last := high;
    else
      first := coalesce(low + array_position(names, bounds[2]) - 1, substring(bounds[2] from '^[0-9]{1,4}$')::int);
      last := case when bounds[3] is null then first
        else coalesce(low + array_position(names, bounds[3]) - 1, substring(bounds[3] from '^[0-9]{1,4}$')::int) end;
      if bounds[3] is null and bounds[4] is not null then return null; end if;  -- a step needs a range
    end if;
    step := coalesce(bounds[4]::int, 1);
    if first is null or last is null or step = 0 or first not between low and high or last not between low and high then
      return null;
    end if;
    found := found || array(select generate_series(first, last, step));
  end loop;
  return found;
end $$;
comment on function cron._field is 'Local stack: the numbers of a field of a schedule; null if invalid.';

create function cron._schedule(schedule text) returns jsonb
language plpgsql immutable strict set search_path = '' as $$
declare
  seconds text := (regexp_match(schedule, '^\s*0*([1-9]|[1-5][0-9])\s*seconds?\s*$', 'i'))[1];
  parts text[];
  parsed jsonb;
begin
  if seconds is not null then return jsonb_build_object('seconds', seconds::int); end if;
  parts := regexp_split_to_array(ltrim(schedule, E' \t\n'), '[ \t\n]+');
  if parts[1] in ('@reboot', '@restart') then return '{"reboot": true}'; end if;
  parts := coalesce(case
    when parts[1] in ('@yearly', '@annually') then '{0,0,1,1,*}'
    when parts[1] = '@monthly' then '{0,0,1,*,*}'
    when parts[1] = '@weekly' then '{0,0,*,*,0}'
    when parts[1] in ('@daily', '@midnight') then '{0,0,*,*,*}'
    when parts[1] = '@hourly' then '{0,*,*,*,*}' end::text[], parts);
  parsed := jsonb_build_object(
    'minute', cron._field(parts[1], 0, 59),
    'hour', cron._field(parts[2], 0, 23),
    'day', case when parts[3] = '$' then '{}'::int[] else cron._field(parts[3], 1, 31) end,
    'month', cron._field(parts[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}'),
    'weekday', cron._field(parts[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}'),
    'last_day', parts[3] = '$',
    'both_days', parts[3] like '*%' or parts[5] like '*%');
  return case when jsonb_path_exists(parsed, '$.* ? (@ == null)') then null else parsed end;
end $$;
comment on function cron._schedule is 'Local stack: the parts of a schedule; null if pg_cron rejects it.';

create function cron._due(schedule text, at timestamptz) returns boolean
language sql stable strict set search_path = '' as $$
  with clock as (select at at time zone 'UTC' as now, cron._schedule(schedule) as s),
  days as (
    select *, s -> 'day' @> to_jsonb(extract(day from now)::int)
        or (s -> 'last_day')::boolean and extract(day from now + interval '1 day') = 1 as day,
      s -> 'weekday' @> to_jsonb(extract(dow from now)::int)
        or extract(dow from now) = 0 and s -> 'weekday' @> '7' as weekday
    from clock where s ? 'minute')
  select coalesce((
    select s -> 'minute' @> to_jsonb(extract(minute from now)::int)
      and s -> 'hour' @> to_jsonb(extract(hour from now)::int)
      and s -> 'month' @> to_jsonb(extract(month from now)::int)
      and case when (s -> 'both_days')::boolean then day and weekday else day or weekday end
    from days), false)
$$;
comment on function cron._due is
  'Local stack: whether a schedule contains this minute (in UTC, as cron.timezone is on the platform).';

create function cron._check(schedule text) returns void language plpgsql immutable set search_path = '' as $$
begin
  if cron._schedule(schedule) is null then
    raise exception 'invalid schedule: %', schedule using errcode = '22023',
      hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end if;
end $$;
comment on function cron._check is 'Local stack: rejects an invalid schedule with pg_cron''s message.';

create function cron._check_user(job_user text, caller name, error text) returns void
language plpgsql stable set search_path = '' as $$
declare
  may_log_in boolean := (select rolcanlogin from pg_catalog.pg_roles where rolname = job_user);
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = caller) then
    raise exception '%', error using errcode = 'XX000';
  elsif may_log_in is null then
    raise exception 'role "%" does not exist', job_user using errcode = 'XX000';
  elsif not may_log_in then
    raise exception 'role "%" can not log in', job_user using errcode = 'XX000',
      detail = 'Jobs may only be run by roles that have the LOGIN attribute.';
  end if;
end $$;
comment on function cron._check_user is 'Local stack: only a superuser may name another role, which must have login.';

create function cron._check_database(job_database text, job_user text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if not pg_catalog.has_database_privilege(job_user, job_database, 'connect') then
    raise exception 'User % does not have CONNECT privilege on %', job_user, job_database using errcode = 'XX000';
  end if;
end $$;
comment on function cron._check_database is
  'Local stack: rejects a database that does not exist or that the job''s user may not use.';

-- Public functions run as the caller, so that current_user is the job's owner, as in pg_cron. These security definer
-- functions write cron.job for them.

create function cron._put(job_name text, schedule text, command text, database text, username text, active boolean)
returns bigint language plpgsql security definer set search_path = '' as $$
declare
  id bigint;
begin
  perform cron._check(schedule);
  perform cron._check_database(database, username);
  insert into cron.job as j (jobname, schedule, command, database, username, active)
  values (job_name, schedule, command, database, username, active)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, database = excluded.database
  returning j.jobid into id;
  return id;
end $$;
comment on function cron._put is
  'Local stack: adds a job, or changes the one of that name and user (which stays inactive if it was).';

create function cron._remove(job_id bigint, asked_for text, caller name) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  owner text := (select username from cron.job where jobid = job_id);
begin
  if owner is null then
    raise exception 'could not find valid entry for job %', asked_for using errcode = 'XX000';
  elsif lower(owner) <> lower(caller) and not pg_catalog.has_table_privilege(caller, 'cron.job', 'delete') then
    raise exception 'permission denied for table job' using errcode = '42501';
  end if;
  delete from cron.job where jobid = job_id;
  return true;
end $$;
comment on function cron._remove is
  'Local stack: deletes a job for its owner, or for a role that may delete from cron.job.';

create function cron._id(job_name text, username text) returns bigint
language sql stable security definer set search_path = '' as $$
  select jobid from cron.job j where j.jobname = job_name and j.username = _id.username
$$;
comment on function cron._id is 'Local stack: finds the job of a name and user.';

create function cron._alter(job_id bigint, schedule text, command text, database text, username text, active boolean,
  caller name)
returns void language plpgsql security definer set search_path = '' as $$
begin
  if username is not null then
    perform cron._check_user(username, caller, 'must be superuser to alter username');
  end if;
  if database is not null then perform cron._check_database(database, coalesce(username, caller)); end if;
  if schedule is not null then perform cron._check(schedule); end if;
  if num_nonnulls(schedule, command, database, username, active) = 0 then
    raise exception 'no updates specified' using errcode = 'XX000',
      hint = 'You must specify at least one job attribute to change when calling alter_job';
  end if;
  update cron.job j set
    schedule = coalesce(_alter.schedule, j.schedule), command = coalesce(_alter.command, j.command),
    database = coalesce(_alter.database, j.database), username = coalesce(_alter.username, j.username),
    active = coalesce(_alter.active, j.active)
  where j.jobid = job_id
    and (j.username = caller or (select rolsuper from pg_catalog.pg_roles where rolname = caller));
  if not found then
    raise exception 'Job % does not exist or you don''t own it', job_id using errcode = 'XX000';
  end if;
end $$;
comment on function cron._alter is 'Local stack: changes a job of the caller.';

create function cron.schedule(schedule text, command text) returns bigint
language sql strict set search_path = '' as $$
  select cron._put(null, schedule, command, current_database(), current_user, true)
$$;
comment on function cron.schedule(text, text) is 'schedule a pg_cron job';

create function cron._check_named(job_name text, schedule text, command text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if job_name is null then raise exception 'job_name can not be NULL' using errcode = 'XX000'; end if;
  if schedule is null then raise exception 'schedule can not be NULL' using errcode = 'XX000'; end if;
  if command is null then raise exception 'command can not be NULL' using errcode = 'XX000'; end if;
end $$;
comment on function cron._check_named is 'Local stack: rejects the nulls that pg_cron rejects.';

create function cron.schedule(job_name text, schedule text, command text) returns bigint
language plpgsql set search_path = '' as $$
begin
  perform cron._check_named(job_name, schedule, command);
  return cron._put(job_name, schedule, command, current_database(), current_user, true);
end $$;
comment on function cron.schedule(text, text, text) is 'schedule a pg_cron job';

create function cron.schedule_in_database(job_name text, schedule text, command text, database text,
  username text default null, active boolean default true) returns bigint
language plpgsql set search_path = '' as $$
begin
  perform cron._check_named(job_name, schedule, command);
  if username is not null then
    perform cron._check_user(username, current_user, 'must be superuser to create a job for another role');
  end if;
  return cron._put(job_name, schedule, command, coalesce(database, current_database()),
    coalesce(username, current_user), coalesce(active, true));
end $$;
comment on function cron.schedule_in_database is 'schedule a pg_cron job';

create function cron.unschedule(job_id bigint) returns boolean
language sql strict set search_path = '' as $$
  select cron._remove(job_id, job_id::text, current_user)
$$;
comment on function cron.unschedule(bigint) is 'unschedule a pg_cron job';

create function cron.unschedule(job_name text) returns boolean
language sql strict set search_path = '' as $$
  select cron._remove(cron._id(job_name, current_user), '''' || job_name || '''', current_user)
$$;
comment on function cron.unschedule(text) is 'unschedule a pg_cron job';

create function cron.alter_job(job_id bigint, schedule text default null, command text default null,
  database text default null, username text default null, active boolean default null) returns void
language plpgsql set search_path = '' as $$
begin
  if job_id is null then raise exception 'job_id can not be NULL' using errcode = 'XX000'; end if;
  perform cron._alter(job_id, schedule, command, database, username, active, current_user);
end $$;
comment on function cron.alter_job is
  'Alter the job identified by job_id. Any option left as NULL will not be modified.';

-- pg_cron's own grants, then the platform's (extensions.grant_pg_cron_access)
grant select on cron.job to public;
grant select, delete on cron.job_run_details to public;
grant select on sequence cron.jobid_seq, cron.runid_seq to public;
revoke all on function cron.schedule_in_database, cron.alter_job from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'postgres') then
    grant usage on schema cron to postgres with grant option;
    grant all on all functions in schema cron to postgres with grant option;
    grant all on all tables in schema cron to postgres with grant option;
    revoke all on table cron.job from postgres;
    grant select on table cron.job to postgres with grant option;
  end if;
end $$;
