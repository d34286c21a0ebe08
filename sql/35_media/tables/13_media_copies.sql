-- Copies of images: smaller ones that the worker makes, for pages, players and previews. They are not charged, and
-- their objects are deleted with the original.
create table private.media_copies (
  path          text primary key,  -- in the bucket media
  original_path text not null references private.media_objects on delete cascade,
  content_type  text not null,
  width         int not null,      -- pixels
  height        int not null,
  constraint dimensions_are_positive check (least(width, height) > 0)
);
comment on table private.media_copies is 'The stored smaller copies of images.';
create index media_copies_original_path_idx on private.media_copies (original_path);
alter table private.media_copies enable row level security;
-- No policy, no grant.
