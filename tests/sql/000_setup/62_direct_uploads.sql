-- The responses of begin_direct_upload, remembered by name.
create table tests.direct_uploads (name text primary key, response jsonb not null);

create function tests.remember_direct_upload(name text, response jsonb) returns void
language sql security definer as $$
  insert into tests.direct_uploads values (name, response)
$$;

create function tests.direct_upload(name text, member text) returns text language sql stable security definer as $$
  select u.response ->> member from tests.direct_uploads u where u.name = direct_upload.name
$$;

create function tests.begin_direct_upload(name text, episode text default 'pilot', bytes bigint default 2000,
  podcast text default 'show', who text default 'ana') returns void language plpgsql as $$
begin
  perform tests.act_as(who);
  perform tests.remember_direct_upload(name,
    public.begin_direct_upload(tests.id(podcast), tests.id(episode), 'audio/x-m4a', 'a.m4a', bytes));
  perform tests.act_as('postgres');
end $$;

-- Stores the object of an upload as its client does.
create function tests.stage_direct_upload(name text, bytes bigint default 1000) returns void language sql as $$
  select tests.store_object(tests.direct_upload(name, 'uploadPath'), bytes, 'staging')
$$;

-- Stores the final object of an upload as its completion does.
create function tests.copy_direct_upload(name text, bytes bigint default 1000) returns void language sql as $$
  select tests.store_object(tests.direct_upload(name, 'finalPath'), bytes)
$$;

-- The HTTP status of a completion and its machine code, or the SQLSTATE.
create function tests.complete_direct_upload(name text, who text default 'ana') returns text language plpgsql as $$
declare
  response jsonb;
begin
  perform set_config('response.status', '', true);
  perform tests.act_as(who);
  response := public.begin_direct_upload_completion(tests.direct_upload(name, 'uploadId')::uuid);
  perform tests.act_as('postgres');
  return concat_ws(' ', coalesce(nullif(current_setting('response.status'), ''), '200'), response ->> 'hint');
exception when others then
  perform tests.act_as('postgres');
  return sqlstate;
end $$;

create function tests.finish_direct_upload(name text, bytes bigint default 1000, episode text default 'pilot',
  podcast text default 'show', expected_audio_url text default null) returns text language sql as $$
  select tests.result_of('postgres', format('select private.finish_audio_upload(%L, %L, %L, %L, %s, %L, 61, %L)',
    tests.id('ana'), tests.id(podcast), tests.id(episode), tests.direct_upload(name, 'finalPath'), bytes, 'audio/x-m4a',
    expected_audio_url))
$$;

select unnest(array['1..1', 'ok 1 - the factories of direct uploads are created']);  -- a TAP report, for pg_prove
