-- Factories of users, podcasts, episodes and guests, remembered by name.
create table tests.ids (name text primary key, id uuid not null);
grant select on tests.ids to anon, authenticated, service_role;

create function tests.id(name text) returns uuid language plpgsql volatile as $$
declare found_id uuid;
begin
  select i.id into found_id from tests.ids i where i.name = id.name;
  if found_id is null then raise exception 'no id is remembered as %', name; end if;
  return found_id;
end $$;

create function tests.remember(name text, id uuid) returns uuid language sql security definer as $$
  insert into tests.ids values (name, id) returning id
$$;

-- A user, confirmed unless the second argument is false.
create function tests.person(name text, confirmed boolean default true) returns uuid language plpgsql security definer
  as $$
declare person uuid := gen_random_uuid();
begin
  insert into auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data, created_at, updated_at)
  values (person, 'authenticated', 'authenticated', name || '@test.example', case when confirmed then now() end,
    jsonb_build_object('display_name', initcap(name)), now(), now());
  return tests.remember(name, person);
end $$;

-- A user of an anonymous sign-in, as Auth stores it. tests.act_as(name) gives its token the claim.
create function tests.anonymous_user(name text) returns uuid language plpgsql security definer as $$
declare person uuid := gen_random_uuid();
begin
  insert into auth.users (id, aud, role, is_anonymous, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
  values (person, 'authenticated', 'authenticated', true, '{}', '{}', now(), now());
  return tests.remember(name, person);
end $$;

create function tests.exists(name text) returns boolean language sql stable as $$
  select exists (select from tests.ids i where i.name = $1)
$$;

-- A podcast with the title `name`; creates a missing owner.
create function tests.podcast(name text, owner text default null, hosting public.hosting_type default 'native')
  returns uuid
language plpgsql security definer as $$
declare
  created uuid;
  owner_name  text := coalesce(owner, name || '/owner');
begin
  perform tests.person(owner_name) where not tests.exists(owner_name);
  insert into public.podcasts (owner_id, title, hosting_type) values (tests.id(owner_name), name, hosting)
    returning id into created;
  return tests.remember(name, created);
end $$;

create function tests.member(name text, podcast text, role public.podcast_role default 'member') returns void
language plpgsql security definer as $$
begin
  perform tests.person(name) where not tests.exists(name);
  insert into public.podcast_members (podcast_id, user_id, role) values (tests.id(podcast), tests.id(name), role);
end $$;

-- A podcast with a person of each role.
create function tests.team(podcast text, owner text, admin text, member text) returns void
language plpgsql security definer as $$
begin
  perform tests.podcast(podcast, owner), tests.member(admin, podcast, 'admin'), tests.member(member, podcast);
end $$;

create function tests.episode(name text, podcast text) returns uuid language plpgsql security definer as $$
declare created uuid;
begin
  perform tests.podcast(podcast) where not tests.exists(podcast);
  insert into public.episodes (podcast_id, title) values (tests.id(podcast), name) returning id into created;
  return tests.remember(name, created);
end $$;

-- A stored audio object of an episode, as an upload leaves it before finish_audio_upload. Returns its path.
create function tests.store_audio_object(episode text, bytes bigint default 1000, ext text default 'mp3') returns text
language plpgsql security definer as $$
declare path text;
begin
  select format('podcasts/%s/e/%s/audio/%s.%s', e.podcast_id, e.id, gen_random_uuid(), ext) into path
  from public.episodes e where e.id = tests.id(episode);
  insert into storage.objects (bucket_id, name, metadata) values ('media', path, jsonb_build_object('size', bytes));
  return path;
end $$;

-- Gives an episode audio, as an upload does.
create function tests.upload_audio(episode text, bytes bigint default 1000) returns jsonb
  language plpgsql security definer as $$
declare e public.episodes;
begin
  select * into e from public.episodes where id = tests.id(episode);
  return private.finish_audio_upload((select p.owner_id from public.podcasts p where p.id = e.podcast_id),
    e.podcast_id, e.id, tests.store_audio_object(episode, bytes), bytes, 'audio/mpeg', 60, e.audio_url);
end $$;

create function tests.published_episode(name text, podcast text) returns uuid language plpgsql security definer as $$
begin
  perform tests.episode(name, podcast), tests.upload_audio(name);
  update public.episodes set status = 'published' where id = tests.id(name);
  return tests.id(name);
end $$;

-- A guest of an episode, with the email address of the user of that name.
create function tests.guest(name text, episode text, status public.episode_guest_status default 'invited') returns uuid
language plpgsql security definer as $$
declare
  show uuid := (select e.podcast_id from public.episodes e where e.id = tests.id(episode));
  created uuid;
begin
  insert into public.podcast_guests (podcast_id, display_name, email) values (show, initcap(name),
    name || '@test.example')
  on conflict on constraint email_unique_per_podcast do nothing;
  insert into public.episode_guests (episode_id, podcast_guest_id, status)
  select tests.id(episode), g.id, guest.status from public.podcast_guests g where g.podcast_id = show
    and g.email = guest.name || '@test.example'
  returning id into created;
  return tests.remember(episode || '/' || name, created);
end $$;

-- The messages of a queue
create function tests.queued(queue text) returns setof jsonb language plpgsql security definer as $$
begin
  return query execute format('select message from pgmq.%I order by msg_id', 'q_' || queue);
end $$;

create function tests.empty_queue(queue text) returns void language plpgsql security definer as $$
begin
  perform pgmq.purge_queue(queue);
end $$;

select unnest(array['1..1', 'ok 1 - the factories are created']);  -- a TAP report, as each file of a pg_prove run has
