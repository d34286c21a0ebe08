-- A new path for imported artwork of a user.
create function tests.artwork_path(who text) returns text language sql volatile as $$
  select format('imports/%s/%s.jpg', tests.id(who), gen_random_uuid())
$$;

-- Imports artwork for a user, without a podcast. Returns its path.
create function tests.import_artwork(who text, bytes int default 1000, age interval default '0') returns text
language plpgsql security definer as $$
declare
  stored text := tests.store_object(tests.artwork_path(who), bytes);
begin
  perform private.finish_artwork_import(tests.id(who), stored, bytes, 'image/jpeg', tests.square_image());
  update private.media_objects set created_at = now() - age where path = stored;
  return stored;
end $$;

-- The path to which a move copies imported artwork.
create function tests.moved_artwork_path(path text, podcast text default 'show', type text default 'cover')
returns text language sql as $$
  select format('podcasts/%s/images/%s/%s', tests.id(podcast), type, substring(path from '[^/]+$'))
$$;

create function tests.begin_artwork_move(who text, path text, podcast text default 'show', type text default 'cover')
returns text language sql as $$
  select tests.result_of(who, format('select public.begin_artwork_move(%L, tests.id(%L), %L)', path, podcast, type))
$$;

create function tests.finish_artwork_move(path text, actor text default 'ana', podcast text default 'show',
  type text default 'cover', target text default null, who text default 'postgres') returns text language sql as $$
  select tests.result_of(who, format('select private.finish_artwork_move(%L, %L, %L, %L, %L)', tests.id(actor), path,
    tests.id(podcast), type, coalesce(target, tests.moved_artwork_path(path, podcast, type))))
$$;

select unnest(array['1..1', 'ok 1 - the factories of artwork are created']);  -- a TAP report, for pg_prove
