-- Rows that belong to the schema. Installing again brings them up to date and keeps what operators set.
create function private.install_reference_rows() returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into public.plans as p (code, name, is_paid, storage_gb_per_account) values
    ('free', 'Free', false, 1),
    ('pro', 'Pro', true, 100)
  on conflict (code) do nothing;  -- an operator may have changed them

  insert into private.settings as s (key, default_value, description) values
    ('public_url', null, 'Where the platform''s API is reached from outside, without a slash at the end'),
    ('base_url', '{public_url}/functions/v1', 'Base of the /api routes'),
    ('public_api_url', '{public_url}/functions/v1/public', 'Base of /v1 and of the feeds'),
    ('embed_url', '{public_url}/functions/v1/public', 'Base of the player and its iframe pages'),
    ('listen_url', '{public_api_url}/listen', 'Base of the listen pages'),
    ('guest_url', '{public_api_url}/guest', 'The page of a guest''s invitation; the access token follows it as #token='),
    ('guest_token_ttl_days', '90', 'How long a guest''s access token opens, from the mail that carries it'),
    ('max_guest_invitations_per_hour', '100', 'How many guests a user may invite in an hour'),
    ('max_guest_invitation_emails_per_episode', '3', 'How many invitation emails a guest gets for one episode before they accept'),
    ('max_guest_invitation_emails_per_day', '10', 'How many guest invitations of all podcasts are emailed to one address in a day'),
    ('storage_url', '{public_url}/storage/v1', 'Base of Supabase Storage, where clients upload by signed URL'),
    ('media_url', '{storage_url}/object/public/media', 'Base of public objects; a CDN may stand here'),
    ('former_media_urls', '{storage_url}/object/public/media', 'Earlier values of media_url, separated by commas: URLs below them are still ours'),
    ('worker_url', '{public_url}/functions/v1/worker', 'Where the database wakes the worker'),
    ('max_audio_upload_bytes', '5242880', 'The interim cap of an audio upload through a function'),
    ('orphan_retention_hours', '168', 'How long an unreferenced object is kept, so that cached addresses still answer'),
    ('temporary_object_ttl_hours', '24', 'How long artwork imports and direct uploads are kept that nobody uses'),
    ('max_artwork_imports_per_hour', '120', 'How many images a user may import from the web in an hour'),
    ('max_direct_uploads_per_hour', '600', 'How many direct uploads a user may announce in an hour'),
    ('fetch_allowed_hosts', '', 'Hosts (host or host:port, by commas) that may be fetched although their addresses are private'),
    ('max_locked_feed_imports_per_hour', '30', 'Maximum imports of locked feeds (one ownership email each) per user and hour'),
    ('max_ownership_code_emails_per_day', '10', 'Maximum ownership codes emailed to one address per day, over all imports'),
    ('max_ownership_code_emails_per_hour', '6', 'Maximum ownership codes emailed to one address per hour, over all imports'),
    ('app_url', '{public_url}', 'The front end, where the team signs in; emails to users link to it'),
    ('podcast_invitation_ttl_days', '14', 'How long an invitation to a team is open'),
    ('max_podcast_invitations_per_hour', '60', 'How many people a user may invite to teams in an hour, resends included'),
    ('max_podcast_invitations_per_hour_paid', '{max_podcast_invitations_per_hour}', 'The same on a paid plan'),
    ('max_podcast_invitation_emails_per_address', '3', 'How many invitation emails a podcast may send to one address before its owner joins'),
    ('max_podcast_invitation_emails_per_day', '5', 'How many team invitations of all podcasts are emailed to one address in a day'),
    ('max_podcast_transfers_per_hour', '20', 'How many transfers a user may offer in an hour'),
    ('max_podcast_transfers_per_hour_paid', '{max_podcast_transfers_per_hour}', 'The same on a paid plan'),
    ('max_podcasts_per_hour', '10', 'How many podcasts a user may create in an hour'),
    ('max_podcasts_per_hour_paid', '100', 'The same on a paid plan'),
    ('max_podcasts_per_account', '50', 'How many podcasts a user may own and still create another; empty: unlimited'),
    ('max_podcasts_per_account_paid', '', 'The same on a paid plan'),
    ('max_feed_imports_per_hour', '30', 'How many imports a user may start or recheck in an hour'),
    ('max_feed_imports_per_hour_paid', '200', 'The same on a paid plan'),
    ('unconfirmed_user_ttl_days', '7', 'After how many days an unconfirmed, uninvited sign-up is deleted')
  on conflict (key) do update set default_value = excluded.default_value, description = excluded.description
    where (s.default_value, s.description) is distinct from (excluded.default_value, excluded.description);

  -- an operator's pause stays: it is only written with a new queue
  insert into private.queues as q (name, max_attempts, backoff_base, backoff_max, concurrency, description, paused) values
    ('feed_invalidation', 8, interval '2 seconds', interval '5 minutes', null, 'Renders a podcast''s feed document again', false),
    ('show_notes', 10, interval '2 seconds', interval '5 minutes', null, 'Sanitizes the show notes of a podcast''s episodes', false),
    ('storage_gc', 10, interval '5 seconds', interval '1 hour', null, 'Deletes stored objects that nothing refers to', false),
    ('guest_invitations', 10, interval '5 seconds', interval '1 hour', null, 'Mails guests their invitation and access token', false),
    ('podcast_invitations', 10, interval '5 seconds', interval '1 hour', null, 'Emails invitations to a podcast''s team', false),
    ('import_feeds', 4, interval '5 seconds', interval '1 minute', null, 'Reads a feed and stages its episodes', false),
    ('import_items', 6, interval '5 seconds', interval '15 minutes', 4, 'Fetches an episode''s audio and artwork and writes the episode', false),
    ('ownership_codes', 5, interval '5 seconds', interval '5 minutes', null, 'Mails the owner of a locked feed the code that opens its import', false),
    ('calendar_sync', 10, interval '5 seconds', interval '1 hour', null, 'Updates the attendees of a session''s calendar event', true)  -- nobody does yet
  on conflict (name) do update set max_attempts = excluded.max_attempts, backoff_base = excluded.backoff_base,
    backoff_max = excluded.backoff_max, concurrency = excluded.concurrency, description = excluded.description
    where (q.max_attempts, q.backoff_base, q.backoff_max, q.concurrency, q.description)
      is distinct from (excluded.max_attempts, excluded.backoff_base, excluded.backoff_max, excluded.concurrency, excluded.description);

  insert into private.image_types as t (name, formats, max_bytes, min_width, min_height, recommended_width,
    recommended_height, aspect_ratio, is_uploadable, is_importable) values
    ('cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, 1, true, true),
    ('episode_cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, 1, true, false),
    ('header', '{image/jpeg,image/png,image/webp}', 2097152, 1200, 200, 1920, 300, 6.4, true, true),
    ('banner', '{image/jpeg,image/png,image/webp}', 2097152, 600, 315, 1200, 630, 1.91, true, true),
    ('profile', '{image/jpeg,image/png,image/webp}', 2097152, 200, 200, 400, 400, 1, false, true)
  on conflict (name) do update set formats = excluded.formats, max_bytes = excluded.max_bytes, min_width = excluded.min_width,
    min_height = excluded.min_height, recommended_width = excluded.recommended_width, recommended_height = excluded.recommended_height,
    aspect_ratio = excluded.aspect_ratio, is_uploadable = excluded.is_uploadable, is_importable = excluded.is_importable
    where t is distinct from excluded;

  insert into public.podcast_categories (category, subcategory)
  select tree.category, sub.name
  from (values
    ('Arts', '{Books,Design,Fashion & Beauty,Food,Performing Arts,Visual Arts}'::text[]),
    ('Business', '{Careers,Entrepreneurship,Investing,Management,Marketing,Non-Profit}'),
    ('Comedy', '{Comedy Interviews,Improv,Stand-Up}'),
    ('Education', '{Courses,How To,Language Learning,Self-Improvement}'),
    ('Fiction', '{Comedy Fiction,Drama,Science Fiction}'),
    ('Government', '{}'),
    ('History', '{}'),
    ('Health & Fitness', '{Alternative Health,Fitness,Medicine,Mental Health,Nutrition,Sexuality}'),
    ('Kids & Family', '{Education for Kids,Parenting,Pets & Animals,Stories for Kids}'),
    ('Leisure', '{Animation & Manga,Automotive,Aviation,Crafts,Games,Hobbies,Home & Garden,Video Games}'),
    ('Music', '{Music Commentary,Music History,Music Interviews}'),
    ('News', '{Business News,Daily News,Entertainment News,News Commentary,Politics,Sports News,Tech News}'),
    ('Religion & Spirituality', '{Buddhism,Christianity,Hinduism,Islam,Judaism,Religion,Spirituality}'),
    ('Science', '{Astronomy,Chemistry,Earth Sciences,Life Sciences,Mathematics,Natural Sciences,Nature,Physics,Social Sciences}'),
    ('Society & Culture', '{Documentary,Personal Journals,Philosophy,Places & Travel,Relationships}'),
    ('Sports', '{Baseball,Basketball,Cricket,Fantasy Sports,Football,Golf,Hockey,Rugby,Running,Soccer,Swimming,Tennis,Volleyball,Wilderness,Wrestling}'),
    ('Technology', '{}'),
    ('True Crime', '{}'),
    ('TV & Film', '{After Shows,Film History,Film Interviews,Film Reviews,TV Reviews}')
  ) tree (category, subcategories)
  cross join lateral unnest(array[''] || tree.subcategories) sub (name)
  on conflict (category, subcategory) do nothing;
end $$;
comment on function private.install_reference_rows is 'private.install()''s rows.';
