-- Images of chapters: an uploaded one is live while a chapter of its episode references it, or might still be written
-- into one: the sweep releases those that no chapter has after a day.
create function private.guard_chapter_image() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user = 'authenticated' then  -- a feed may name an object of another podcast
    perform private.require_own_image('image_url', new.image_url,
      private.image_folder(new.podcast_id, 'chapter', new.episode_id),
      'PUT /api/media/upload/{uploadId} with imageType chapter stores a copy and returns its URL');
  end if;
  return new;
end $$;
create trigger t330_guard_image before insert or update of image_url on public.episode_chapters
  for each row when (new.image_url is not null) execute function private.guard_chapter_image();

-- After: at the end of the transaction, because a list of chapters is replaced by deletes and inserts.
create function private.sync_chapter_image() returns trigger
language plpgsql security definer  -- clients may not write the ledger or the queue
set search_path = ''
as $$
declare
  chapter    public.episode_chapters := coalesce(new, old);
  released   text := case when tg_op <> 'INSERT' then private.own_object_path(old.image_url) end;
  referenced text := case when tg_op <> 'DELETE' then private.own_object_path(new.image_url) end;
  was_public boolean;
begin
  if released is not distinct from referenced then
    return null;
  end if;
  select e.first_published_at is not null into was_public from public.episodes e
  where e.id = chapter.episode_id for no key update;  -- before the ledger
  perform private.release_media_objects(array[m.path], was_public) from private.media_objects m
  where m.path = released and m.episode_id = chapter.episode_id and m.usage = 'chapter' and m.released_at is null
    and not private.is_object_referenced(m.path);
  update private.media_objects m set released_at = null
  where m.path = referenced and m.episode_id = chapter.episode_id and m.usage = 'chapter'
    and m.released_at is not null and private.is_object_referenced(m.path);
  return null;
end $$;
comment on function private.sync_chapter_image is
  'Releases the image that no chapter of the episode has any longer, and revives an image that one has again.';
create constraint trigger t500_sync_inserted_image after insert on public.episode_chapters
  deferrable initially deferred
  for each row when (new.image_url is not null) execute function private.sync_chapter_image();
create constraint trigger t500_sync_changed_image after update of image_url on public.episode_chapters
  deferrable initially deferred
  for each row when (old.image_url is distinct from new.image_url) execute function private.sync_chapter_image();
create constraint trigger t500_sync_deleted_image after delete on public.episode_chapters
  deferrable initially deferred
  for each row when (old.image_url is not null) execute function private.sync_chapter_image();
