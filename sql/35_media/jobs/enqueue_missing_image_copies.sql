-- Job: enqueues copies of live images that have none, from before there were copies or because a message was lost.
create function private.enqueue_missing_image_copies(at timestamptz default now(), max_images int default 300)
returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  places int;
begin
  -- of two runs at once, the second sees the messages of the first
  perform pg_advisory_xact_lock(hashtextextended('enqueue_missing_image_copies', 0));
  -- without a standalone worker no other job takes the messages about images that were replaced
  delete from pgmq.q_large_images d where d.msg_id = any (array(
    select q.msg_id from pgmq.q_large_images q
    where q.vt <= at and not exists (
      select from private.media_objects m
      where m.path = q.message ->> 'path' and m.released_at is null and m.copies_ended_at is null)
    order by q.msg_id limit 10000 for update skip locked));
  select max_images - count(distinct q.message ->> 'path') into places from pgmq.q_image_derivatives q;
  return private.enqueue_image_copies(array(
    select m.path from private.media_objects m
    where private.takes_image_copies(m.usage) and m.released_at is null and m.copies_ended_at is null
      and m.path not in (  -- hashed
        select q.message ->> 'path' from pgmq.q_image_derivatives q
        union all
        select q.message ->> 'path' from pgmq.q_large_images q
        union all
        select coalesce(d.message #>> '{message,path}', '') from pgmq.q_image_derivatives_dlq d
        union all
        select coalesce(d.message #>> '{message,path}', '') from pgmq.q_large_images_dlq d)
    order by m.created_at limit greatest(places, 0)));
end $$;
comment on function private.enqueue_missing_image_copies is
  'Enqueues copies of live images that lack some, oldest first, while fewer than max_images wait; not of images with a '
  'dead letter, which waits for an operator, or that cannot be decoded. Deletes up to 10,000 messages about large '
  'images that are no longer in use. Returns the number of messages enqueued. Cron calls it every ten minutes.';
