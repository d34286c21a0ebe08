-- Demo data: an account (demo@castbase.test, castbase-demo), a podcast and a published episode. Their files are in
-- supabase/seed/media; the [storage.buckets.media] entry of config.toml stores them.
-- Preview branches of a hosted project run this file too. There it does nothing, because the password is public: only
-- `npm start` and `supabase start` have the CLI's shared secret.
do $seed$
begin
  if current_setting('app.settings.jwt_secret', true) is distinct from
    'super-secret-jwt-token-with-at-least-32-characters-long' then
    raise notice 'The demo is left out: this database belongs to a hosted project';
    return;
  end if;

  perform private.set_setting('public_url', 'http://127.0.0.1:54321')
  where not exists (select from private.settings where key = 'public_url' and value is not null);
  -- A local stack serves HTML as it is; on a hosted project, pages need a domain of their own (docs/operating.md).
  perform private.set_setting('pages_url', '{public_api_url}')
  where not exists (select from private.settings where key = 'pages_url' and value is not null);
  -- the host name in the database container of `supabase start`
  perform private.set_setting('worker_url', 'http://kong:8000/functions/v1/worker')
  where not exists (select from private.settings where key = 'worker_url' and value is not null);

  insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token,
    recovery_token, email_change, email_change_token_new, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
  values ('00000000-0000-0000-0000-000000000000', '00000000-0000-4000-8000-0000000000d0',
    'authenticated', 'authenticated', 'demo@castbase.test',
    extensions.crypt('castbase-demo', extensions.gen_salt('bf')), now(), '', '', '', '',
    '{"provider": "email", "providers": ["email"]}',
    '{"sub": "00000000-0000-4000-8000-0000000000d0", "email": "demo@castbase.test", "display_name": "Demo Podcaster",
      "email_verified": true}',
    now(), now());
  insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
  values ('00000000-0000-4000-8000-0000000000d0', '00000000-0000-4000-8000-0000000000d0',
    '{"sub": "00000000-0000-4000-8000-0000000000d0", "email": "demo@castbase.test", "email_verified": true}',
    'email', now(), now(), now());

  insert into public.podcasts (id, owner_id, slug, title, description, language, author, owner_name, categories,
    copyright, link, cover_image_url)
  values ('11111111-1111-4111-8111-111111111111', '00000000-0000-4000-8000-0000000000d0', 'demo', 'The Castbase Demo',
    'A sample show with one published episode, its audio and its feed.', 'en', 'Demo Podcaster',
    'Demo Podcaster', '[{"category": "Technology"}, {"category": "Education", "subcategory": "How To"}]',
    '© Demo Podcaster', 'https://castbase.example',
    private.get_setting('media_url') || '/podcasts/11111111-1111-4111-8111-111111111111/images/cover/'
      || '44444444-4444-4444-8444-444444444444.png?v=1767225600000');

  insert into public.episodes
    (id, podcast_id, title, summary, show_notes_html, season_number, episode_number, created_by)
  values ('22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111', 'Hello, listener',
    'From a database row to a valid feed, and from the feed to your ears.',
    '<p>From a database row to a valid <b>feed</b>, and from the feed to your ears.</p>', 1, 1,
    '00000000-0000-4000-8000-0000000000d0');

  -- The size that private.finish_audio_upload would measure
  insert into private.media_objects
    (path, account_id, podcast_id, episode_id, usage, bytes, content_type, width, height)
  values
    ('podcasts/11111111-1111-4111-8111-111111111111/e/22222222-2222-4222-8222-222222222222/audio/'
       || '33333333-3333-4333-8333-333333333333.mp3',
     '00000000-0000-4000-8000-0000000000d0', '11111111-1111-4111-8111-111111111111',
     '22222222-2222-4222-8222-222222222222', 'audio', 38034, 'audio/mpeg', null, null),
    ('podcasts/11111111-1111-4111-8111-111111111111/images/cover/44444444-4444-4444-8444-444444444444.png',
     '00000000-0000-4000-8000-0000000000d0', '11111111-1111-4111-8111-111111111111',
     null, 'cover', 4858, 'image/png', 1400, 1400);
  update public.episodes e set
    audio_url = private.get_setting('media_url') || '/' || o.path,
    audio_file_size_bytes = o.bytes, audio_content_type = o.content_type, audio_duration_seconds = 9
  from private.media_objects o
  where o.episode_id = e.id and e.id = '22222222-2222-4222-8222-222222222222';
  update public.episodes set status = 'published', published_at = '2026-01-01T12:00:00Z'
  where id = '22222222-2222-4222-8222-222222222222';
end $seed$;
