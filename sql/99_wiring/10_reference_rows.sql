-- Rows that belong to the schema. Running it again updates them and keeps the values that operators set.
create function private.install_reference_rows() returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into public.plans as p (code, name, is_paid, storage_gb_per_account) values
    ('free', 'Free', false, 1),
    ('pro', 'Pro', true, 100)
  on conflict (code) do nothing;  -- an operator may have changed them

  insert into private.settings as s (key, default_value, description) values
    ('public_url', null, 'Public URL of the Supabase API, without a trailing slash'),
    ('base_url', '{public_url}/functions/v1', 'Base URL of the /api routes'),
    ('public_api_url', '{public_url}/functions/v1/public', 'Base URL of /v1 and of the feeds'),
    ('embed_url', '{public_url}/functions/v1/public', 'Base URL of the player and its iframe pages'),
    ('listen_url', '{public_api_url}/listen', 'Base URL of the listen pages'),
    ('guest_url', '{public_api_url}/guest', 'Guest invitation page; the access token is appended as #token='),
    ('guest_token_ttl_days', '90', 'Lifetime of a guest access token, in days from when the email is sent'),
    ('max_guest_invitations_per_hour', '100', 'Maximum guest invitations per user and hour'),
    ('max_guest_invitation_emails_per_episode', '3',
      'Maximum invitation emails per guest and episode until the guest accepts'),
    ('max_guest_invitation_emails_per_day', '10',
      'Maximum guest invitations emailed per recipient and day, over all podcasts'),
    ('max_chat_notifications_per_minute', '60', 'Maximum chat messages that a sender notifies of per minute'),
    ('storage_url', '{public_url}/storage/v1', 'Base URL of Supabase Storage, where clients upload by signed URL'),
    ('media_url', '{storage_url}/object/public/media', 'Base URL of public media; may point to a CDN'),
    ('former_media_urls', '{storage_url}/object/public/media',
      'Comma-separated earlier values of media_url; URLs below them are still ours'),
    ('worker_url', '{public_url}/functions/v1/worker', 'URL the database calls to wake the worker'),
    ('max_audio_upload_bytes', '5242880', 'Maximum size of an audio upload through the API, in bytes'),
    ('orphan_retention_hours', '168', 'How long orphaned objects are kept so that cached URLs keep working, in hours'),
    ('temporary_object_ttl_hours', '24', 'How long unused artwork imports and direct uploads are kept, in hours'),
    ('max_artwork_imports_per_hour', '120', 'Maximum artwork imports per user and hour'),
    ('max_direct_uploads_per_hour', '600', 'Maximum direct uploads started per user and hour'),
    ('fetch_allowed_hosts', '',
      'Comma-separated hosts (host or host:port) that may be fetched even if they resolve to private addresses'),
    ('max_locked_feed_imports_per_hour', '30',
      'Maximum imports of locked feeds (one ownership email each) per user and hour'),
    ('max_ownership_code_emails_per_day', '10',
      'Maximum ownership codes emailed per recipient and day, over all imports'),
    ('max_ownership_code_emails_per_hour', '6',
      'Maximum ownership codes emailed per recipient and hour, over all imports'),
    ('calendar_connected_url', '{app_url}/calendars/connected',
      'Page of the front end that finishes the connection of a calendar account; state and code follow as #state='),
    ('max_calendar_connections_per_hour', '30', 'Maximum connections of calendar accounts begun per user and hour'),
    ('max_calendar_urls_per_hour', '30', 'Maximum calendar URLs added per user and hour'),
    ('max_calendar_connections_per_user', '10', 'Maximum connected calendar accounts and URLs of a user'),
    ('app_url', '{public_url}', 'URL of the front end, where the team signs in; emails to users link to it'),
    ('podcast_invitation_ttl_days', '14', 'Lifetime of a team invitation, in days'),
    ('max_podcast_invitations_per_hour', '60', 'Maximum team invitations per user and hour, resends included'),
    ('max_podcast_invitations_per_hour_paid', '{max_podcast_invitations_per_hour}',
      'Maximum team invitations per user and hour on paid plans, resends included'),
    ('max_podcast_invitation_emails_per_recipient', '3',
      'Maximum invitation emails per podcast and recipient until the person joins'),
    ('max_podcast_invitation_emails_per_day', '5',
      'Maximum team invitations emailed per recipient and day, over all podcasts'),
    ('max_podcast_transfers_per_hour', '20', 'Maximum transfers offered per user and hour'),
    ('max_podcast_transfers_per_hour_paid', '{max_podcast_transfers_per_hour}',
      'Maximum transfers offered per user and hour on paid plans'),
    ('max_podcast_deletions_per_hour', '20', 'Maximum deletions of podcasts requested per user and hour'),
    ('max_podcast_deletions_per_hour_paid', '{max_podcast_deletions_per_hour}',
      'Maximum deletions of podcasts requested per user and hour on paid plans'),
    ('max_podcasts_per_hour', '10', 'Maximum podcasts created per user and hour'),
    ('max_podcasts_per_hour_paid', '100', 'Maximum podcasts created per user and hour on paid plans'),
    ('max_podcasts_per_account', '50', 'Maximum podcasts per account, deleted ones for 90 days; empty: no limit'),
    ('max_podcasts_per_account_paid', '',
      'Maximum podcasts per account on paid plans, checked on creation; empty means unlimited'),
    ('max_checkouts_per_hour', '20', 'Maximum checkouts opened per user and hour'),
    ('max_portal_sessions_per_hour', '60', 'Maximum billing portal sessions opened per user and hour'),
    ('max_stripe_webhooks_per_minute', '300', 'Maximum requests to the Stripe webhook per IP address and minute'),
    ('max_resend_webhooks_per_minute', '300', 'Maximum requests to the Resend webhook per IP address and minute'),
    ('max_feed_imports_per_hour', '30', 'Maximum imports started or rechecked per user and hour'),
    ('max_feed_imports_per_hour_paid', '200', 'Maximum imports started or rechecked per user and hour on paid plans'),
    ('email_token_ttl_days', '90', 'Lifetime of the links in emails of notifications, in days'),
    ('captcha_provider', 'turnstile', 'Provider of the captcha widget: turnstile or hcaptcha'),
    ('captcha_site_key', '', 'Site key of the captcha widget; empty: pages show no widget'),
    ('captcha_script_url', '', 'URL of the widget''s script; empty: the provider''s'),
    ('push_service_hosts',
      'fcm.googleapis.com, jmt17.google.com, *.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com',
      'Comma-separated hosts of push services (host, *.domain or *) to which push messages are sent'),
    ('max_push_subscriptions_per_user', '20', 'Maximum push subscriptions per user, inactive ones included'),
    ('max_push_subscriptions_per_hour', '60', 'Maximum push subscriptions registered per user and hour'),
    ('max_account_exports_per_hour', '10', 'Maximum exports of an account per user and hour'),
    ('max_account_export_pages_per_hour', '2000', 'Maximum pages of account exports per user and hour'),
    ('max_deliveries_per_run', '200', 'Maximum emails and pushes enqueued per run of enqueue_due_deliveries'),
    ('trusted_proxy_hops', '1',
      'Proxies between clients and PostgREST that append to X-Forwarded-For, as TRUSTED_PROXY_HOPS of the functions'),
    ('booking_url', '{app_url}/booking', 'Page where guests manage a booking; the access token is appended as #token='),
    ('booking_organizer_email', '',
      'Address of the organizer in the calendar entries of guests; empty: noreply@ the host of public_url'),
    ('pending_booking_ttl_hours', '72', 'How long a booking request waits for an answer, in hours'),
    ('max_bookings_per_hour', '10', 'Maximum bookings requested per IP address, booking link and hour'),
    ('max_pending_bookings_per_guest', '5', 'Maximum booking requests of an email address that wait for an answer'),
    ('max_booking_emails_per_day', '3', 'Maximum emails about bookings per unverified recipient and day'),
    ('max_verified_booking_emails_per_day', '50', 'Maximum emails about bookings per verified recipient and day'),
    ('booking_retention_days', '730', 'How long bookings are kept after their session, in days'),
    ('notification_retention_days', '365', 'How long read notifications and their emails and pushes are kept, in days'),
    ('unread_notification_retention_days', '730',
      'How long unread notifications and their emails and pushes are kept, in days'),
    ('calendar_cache_seconds', '60', 'How long the busy times of a calendar are not read again, in seconds'),
    ('calendar_refresh_minutes', '10',
      'Age in minutes from which the busy times of calendars are read again without a visitor'),
    ('max_calendar_reads_per_run', '500', 'Maximum calendars examined per run of enqueue_due_calendar_reads'),
    ('unconfirmed_user_ttl_days', '7', 'Days after which an unconfirmed, non-invited sign-up is deleted')
  on conflict (key) do update set default_value = excluded.default_value, description = excluded.description
    where (s.default_value, s.description) is distinct from (excluded.default_value, excluded.description);

  -- is_paused is written with a new queue only, so that it keeps what an operator set
  insert into private.queues as q
    (name, max_attempts, backoff_base, backoff_max, max_concurrency, description, is_paused) values
    ('feed_invalidation', 8, interval '2 seconds', interval '5 minutes', null, 'Re-renders a podcast''s feed', false),
    ('show_notes', 10, interval '2 seconds', interval '5 minutes', null,
      'Sanitizes the show notes of a podcast''s episodes', false),
    ('storage_gc', 10, interval '5 seconds', interval '1 hour', null, 'Deletes orphaned storage objects', false),
    ('guest_invitations', 10, interval '5 seconds', interval '1 hour', null,
      'Emails guests their invitation and access token', false),
    ('podcast_deletions', 10, interval '5 seconds', interval '1 hour', null,
      'Deletes podcasts whose deletion is due', false),
    ('podcast_invitations', 10, interval '5 seconds', interval '1 hour', null,
      'Emails invitations to a podcast''s team', false),
    ('import_feeds', 4, interval '5 seconds', interval '1 minute', null, 'Reads a feed and stages its episodes', false),
    ('import_items', 6, interval '5 seconds', interval '15 minutes', 4,
      'Fetches an episode''s audio and artwork and writes the episode', false),
    ('ownership_codes', 5, interval '5 seconds', interval '5 minutes', null,
      'Emails the verification code to the owner of a locked feed', false),
    ('billing_sync', 20, interval '5 seconds', interval '1 hour', null,
      'Makes Stripe''s subscription of an account agree with the desired state', false),
    -- retries end within the 24 hours for which Resend keeps an idempotency key, even with an hour between all of them
    ('email_deliveries', 20, interval '5 seconds', interval '1 hour', null, 'Sends the email of a delivery', false),
    ('push_deliveries', 20, interval '5 seconds', interval '1 hour', null, 'Sends the push of a delivery', false),
    ('calendar_reads', 3, interval '5 seconds', interval '1 minute', null,
      'Reads the busy times of a connection''s calendars', false),
    ('calendar_sync', 20, interval '5 seconds', interval '1 hour', null,
      'Makes the event in a host''s calendar agree with its booking', false)
  on conflict (name) do update set max_attempts = excluded.max_attempts, backoff_base = excluded.backoff_base,
    backoff_max = excluded.backoff_max, max_concurrency = excluded.max_concurrency, description = excluded.description
    where (q.max_attempts, q.backoff_base, q.backoff_max, q.max_concurrency, q.description)
      is distinct from (excluded.max_attempts, excluded.backoff_base, excluded.backoff_max, excluded.max_concurrency,
        excluded.description);

  insert into private.image_types as t (name, formats, max_bytes, min_width, min_height, recommended_width,
    recommended_height, aspect_ratio, is_uploadable, is_importable) values
    ('cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, 1, true, true),
    ('episode_cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, 1, true, false),
    ('header', '{image/jpeg,image/png,image/webp}', 2097152, 1200, 200, 1920, 300, 6.4, true, true),
    ('banner', '{image/jpeg,image/png,image/webp}', 2097152, 600, 315, 1200, 630, 1.91, true, true),
    ('profile', '{image/jpeg,image/png,image/webp}', 2097152, 200, 200, 400, 400, 1, false, true)
  on conflict (name) do update set
    formats = excluded.formats, max_bytes = excluded.max_bytes,
    min_width = excluded.min_width, min_height = excluded.min_height,
    recommended_width = excluded.recommended_width, recommended_height = excluded.recommended_height,
    aspect_ratio = excluded.aspect_ratio, is_uploadable = excluded.is_uploadable,
    is_importable = excluded.is_importable
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
    ('Science',
      '{Astronomy,Chemistry,Earth Sciences,Life Sciences,Mathematics,Natural Sciences,Nature,Physics,Social Sciences}'),
    ('Society & Culture', '{Documentary,Personal Journals,Philosophy,Places & Travel,Relationships}'),
    ('Sports',
      '{Baseball,Basketball,Cricket,Fantasy Sports,Football,Golf,Hockey,Rugby,Running,Soccer,Swimming,Tennis,'
      'Volleyball,Wilderness,Wrestling}'),
    ('Technology', '{}'),
    ('True Crime', '{}'),
    ('TV & Film', '{After Shows,Film History,Film Interviews,Film Reviews,TV Reviews}')
  ) tree (category, subcategories)
  cross join lateral unnest(array[''] || tree.subcategories) sub (name)
  on conflict (category, subcategory) do nothing;
end $$;
comment on function private.install_reference_rows is 'Part of private.install(): writes the reference rows.';
