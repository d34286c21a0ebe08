-- Suppressions of one podcast's emails end with the podcast.
alter table private.email_suppressions
  add constraint email_suppressions_podcast_id_fkey foreign key (podcast_id) references public.podcasts
    on delete cascade;
