-- Stores an object that no row refers to yet, as an upload leaves it before it is finished. Returns its path.
create function tests.store_object(path text, bytes bigint default 1000, bucket text default 'media') returns text
language sql security definer as $$
  insert into storage.objects (bucket_id, name, metadata)
    values (store_object.bucket, store_object.path, jsonb_build_object('size', store_object.bytes))
  returning name
$$;

create function tests.store_image_object(image_type text, bytes bigint default 1000, episode text default null,
  podcast text default 'show', content_type text default 'image/jpeg') returns text
language plpgsql security definer as $$
declare
  episode_id uuid := case when episode is not null then tests.id(episode) end;
begin
  return tests.store_object(private.image_path(tests.id(podcast), image_type, episode_id, gen_random_uuid(),
    content_type), bytes);
end $$;

-- A square image as the edge functions measure it.
create function tests.square_image(size int default 1400, type text default 'image/jpeg') returns jsonb
language sql immutable as $$
  select jsonb_build_object('type', square_image.type, 'width', square_image.size, 'height', square_image.size)
$$;

-- The result of finishing the upload of a stored square image.
create function tests.finish_image_upload(actor text, image_type text, path text, bytes bigint default 1000,
  episode text default null, podcast text default 'show', content_type text default 'image/jpeg') returns text
language sql as $$
  select tests.result_of('postgres', format('select private.finish_image_upload(%L, %L, %L, %L, %s, %L, %L, %L)',
    tests.id(actor), tests.id(podcast), image_type, path, bytes, content_type, tests.square_image(),
    case when episode is not null then tests.id(episode) end))
$$;

create function tests.media_url(path text) returns text language sql immutable as $$
  select 'https://casts.test/storage/v1/object/public/media/' || path || '?v=1'
$$;

create function tests.used_bytes(owner text) returns bigint language sql stable security definer as $$
  select a.storage_bytes_used from public.billing_accounts a where a.user_id = tests.id(owner)
$$;

create function tests.live_objects() returns setof text language sql stable security definer as $$
  select m.path from private.media_objects m where m.released_at is null
$$;

create function tests.get_storage_usage(who text) returns jsonb language sql as $$
  select tests.value_as(who, 'select public.get_storage_usage()')::jsonb
$$;

-- What claim_orphaned_objects returns of the bucket media, without the paths of copies of images.
create function tests.claim_originals(variadic paths text[]) returns text[] language sql security definer as $$
  select coalesce(array_agg(p.path order by p.n), '{}')
  from unnest(private.claim_orphaned_objects('media', paths)) with ordinality p (path, n)
  where p.path not like '%/derived/%'
$$;

-- The paths that storage_gc is told to delete from a bucket.
create function tests.queued_paths(bucket text default 'media') returns setof text language sql security definer as $$
  select path from tests.queued('storage_gc') message, jsonb_array_elements_text(message -> 'paths') path
  where message ->> 'bucket' = queued_paths.bucket
$$;

select unnest(array['1..1', 'ok 1 - the factories of media are created']);  -- a TAP report, for pg_prove
