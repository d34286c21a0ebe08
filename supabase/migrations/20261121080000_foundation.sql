-- ./00_foundation/10_schemas.sql
-- What the platform gives, and one schema of our own that PostgREST never exposes.
create extension if not exists pgmq;
create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;
create extension if not exists unaccent with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;

create schema private;
comment on schema private is 'Everything that HTTP does not see: helpers, triggers, side tables, the worker''s functions.';
-- USAGE alone gives nothing: EXECUTE is granted function by function, tables never.
revoke all on schema private from public;
grant usage on schema private to anon, authenticated, service_role;

-- Nobody may call a function that nobody granted (the platform's default is PUBLIC). Repeated by private.install(),
-- because schema diffs do not carry default privileges.
alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;
-- ./00_foundation/20_settings.sql
-- Public settings: what differs between installations and is no secret (secrets live in Vault).
create table private.settings (
  key         text primary key,
  value       text,            -- null: not set, `otherwise` counts
  otherwise   text,            -- the default; {other_key} stands for that setting
  description text not null,
  constraint key_is_snake_case check (key ~ '^[a-z][a-z0-9_]*$')
);
comment on table private.settings is 'Public settings. Read by private.setting(), written by operators through private.set_setting().';
alter table private.settings enable row level security;
-- No policy, no grant: functions read it.

create function private.setting(key text) returns text
language plpgsql stable security definer  -- callers may not read the table
set search_path = ''
as $$
declare
  found_value text;
  reference   text;
begin
  select coalesce(s.value, s.otherwise) into found_value from private.settings s where s.key = setting.key;
  if found_value is null then
    raise sqlstate 'PT500' using
      message = format('The setting %L is missing', setting.key),
      hint = 'SETTING_MISSING';
  end if;
  loop
    reference := substring(found_value from '\{([a-z_]+)\}');
    exit when reference is null;
    found_value := replace(found_value, '{' || reference || '}', private.setting(reference));
  end loop;
  return found_value;
end $$;
comment on function private.setting is 'The value of a public setting, its default filled in. PT500 SETTING_MISSING names the one that is not set.';
revoke all on function private.setting from public, anon, authenticated, service_role;
grant execute on function private.setting to anon, authenticated, service_role;

create function private.set_setting(key text, value text) returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update private.settings s set value = set_setting.value where s.key = set_setting.key;
  if not found then
    raise sqlstate 'PT404' using message = format('There is no setting %L', set_setting.key);
  end if;
end $$;
comment on function private.set_setting is 'For operators: sets a public setting; null goes back to the default.';
revoke all on function private.set_setting from public, anon, authenticated, service_role;
-- ./00_foundation/21_refuse.sql
-- A refusal that must leave a mark is returned, not raised: the transaction commits, the caller sees the status.
create function private.refuse(status int, sentence text, code text default null, extra jsonb default '{}') returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('response.status', refuse.status::text, true);
  return jsonb_strip_nulls(jsonb_build_object('error', sentence, 'code', code)) || coalesce(extra, '{}');
end $$;
comment on function private.refuse is
  'The envelope of a refusal whose mark must stay; PostgREST and private.call answer with its status. A refusal that changes nothing is raised as PTnnn instead.';
revoke all on function private.refuse from public, anon, authenticated, service_role;
grant execute on function private.refuse to anon, authenticated, service_role;
-- ./00_foundation/22_text.sql
-- Text and web addresses as people write them.
create function private.slugify(title text, otherwise text) returns text
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
declare
  slug text;
begin
  -- letters and digits of any script and their combining marks stay; everything else parts words
  slug := lower(normalize(extensions.unaccent(normalize(coalesce(title, ''), NFKC)), NFC));
  slug := regexp_replace(slug, '[''’ʼ]', '', 'g');
  slug := regexp_replace(slug, '[^[:alnum:]\u0300-\u036f\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u200c\u200d]+', '-', 'g');
  slug := btrim(left(btrim(slug, '-'), 80), '-');
  return coalesce(nullif(slug, ''), otherwise);
end $$;
comment on function private.slugify is 'A slug from a title in any script, at most 80 characters, or `otherwise` when nothing of it can stand in a URL.';
revoke all on function private.slugify from public, anon, authenticated, service_role;

create function private.is_http_url(url text) returns boolean
language sql immutable parallel safe set search_path = ''
as $$ select url ~* '^https?://[^\s/?#]+\S*$' and char_length(url) <= 2048 $$;
comment on function private.is_http_url is 'True for an absolute http or https URL of at most 2,048 characters without white space.';
revoke all on function private.is_http_url from public, anon, authenticated, service_role;
grant execute on function private.is_http_url to authenticated, service_role;  -- check constraints run as the writer
-- ./00_foundation/30_queues.sql
-- Queues: nothing that talks to the outside happens inside a request. The transaction writes a pgmq message, the
-- worker acts on it, retries it, and parks it in <queue>_dead with its reason.
create table private.queues (
  name          text primary key,
  max_attempts  int not null,
  backoff_base  interval not null,   -- doubled with every attempt, with jitter
  backoff_cap   interval not null,
  purpose       text not null,
  constraint attempts_are_bounded check (max_attempts between 1 and 100),
  constraint backoff_is_ordered check (backoff_base > interval '0' and backoff_base <= backoff_cap)
);
comment on table private.queues is 'The retry policy of each queue. private.install() writes the rows and creates the queues.';
alter table private.queues enable row level security;
-- No policy, no grant.

create function private.wake_worker(queue text default null) returns boolean
language plpgsql security definer  -- reads the secret, sends the request
set search_path = ''
as $$
declare
  secret text;
begin
  select decrypted_secret into secret from vault.decrypted_secrets where name = 'worker_secret';
  if secret is null then
    raise log 'castbase: no worker_secret in Vault, the worker is not woken';
    return false;
  end if;
  perform net.http_post(
    url := private.setting('worker_url'),
    body := jsonb_build_object('queue', queue),
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || secret));
  return true;
end $$;
comment on function private.wake_worker is 'Asks the worker to drain one queue, or all. The request leaves when the transaction commits.';
revoke all on function private.wake_worker from public, anon, authenticated, service_role;

create function private.enqueue(queue text, message jsonb, delay_seconds int default 0) returns bigint
language plpgsql security definer  -- callers have no grant on the queues
set search_path = ''
as $$
declare
  id   bigint;
  mark text := 'castbase.woke_' || queue;
begin
  select send into id from pgmq.send(queue, message, delay_seconds);
  if delay_seconds = 0 and coalesce(current_setting(mark, true), '') = '' then
    perform set_config(mark, 'yes', true);
    perform private.wake_worker(queue);
  end if;
  return id;
end $$;
comment on function private.enqueue is 'Writes a message in the caller''s transaction and wakes the worker at most once per transaction and queue.';
revoke all on function private.enqueue from public, anon, authenticated, service_role;

create function private.wake_worker_if_due() returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  queue text;
  woken int := 0;
begin
  for queue in select q.name from private.queues q cross join lateral pgmq.metrics(q.name) m where m.queue_length > 0 loop
    woken := woken + private.wake_worker(queue)::int;
  end loop;
  return woken;
end $$;
comment on function private.wake_worker_if_due is 'The net below the wake-up of each transaction: cron calls it every few seconds.';
revoke all on function private.wake_worker_if_due from public, anon, authenticated, service_role;

create function private.claim_jobs(queue text, most int, visible_after_seconds int)
returns table (msg_id bigint, attempt int, message jsonb)
language sql volatile security invoker set search_path = ''
as $$ select m.msg_id, m.read_ct, m.message from pgmq.read(queue, visible_after_seconds, most) m order by m.msg_id $$;
comment on function private.claim_jobs is 'The worker takes up to `most` messages; who dies with them leaves them visible again after the visibility timeout.';
revoke all on function private.claim_jobs from public, anon, authenticated, service_role;

create function private.finish_jobs(queue text, msg_ids bigint[]) returns void
language sql volatile security invoker set search_path = ''
as $$ select pgmq.delete(queue, msg_ids) $$;
comment on function private.finish_jobs is 'The worker is done with these messages.';
revoke all on function private.finish_jobs from public, anon, authenticated, service_role;

create function private.fail_job(queue text, msg_id bigint, error text, final boolean default false) returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  policy private.queues;
  job    record;
begin
  select * into strict policy from private.queues q where q.name = fail_job.queue;
  select m.read_ct, m.message, m.enqueued_at into job from pgmq.set_vt(fail_job.queue, fail_job.msg_id, 0) m;
  if not found then
    return 'gone';
  end if;
  if final or job.read_ct >= policy.max_attempts then
    perform pgmq.send(fail_job.queue || '_dead', jsonb_build_object(
      'message', job.message, 'error', left(fail_job.error, 2000), 'attempts', job.read_ct,
      'enqueued_at', job.enqueued_at, 'failed_at', now()));
    perform pgmq.delete(fail_job.queue, fail_job.msg_id);
    return 'dead';
  end if;
  -- exponential, capped, with half of it as jitter, so that a burst of failures does not come back as a burst
  perform pgmq.set_vt(fail_job.queue, fail_job.msg_id, greatest(1, ceil(
    extract(epoch from least(policy.backoff_cap, policy.backoff_base * power(2, job.read_ct - 1))) * (0.5 + random() / 2)
  ))::int);
  return 'retry';
end $$;
comment on function private.fail_job is
  'A job failed: it comes back later by its queue''s policy, or goes to the dead-letter queue with its reason when its attempts are used up or the failure is final.';
revoke all on function private.fail_job from public, anon, authenticated, service_role;

create view private.queue_health with (security_invoker = true) as
  select q.name as queue, m.queue_length as depth, m.oldest_msg_age_sec as oldest_age_seconds,
         d.queue_length as dead, m.total_messages as total, q.max_attempts
  from private.queues q
  cross join lateral pgmq.metrics(q.name) m
  cross join lateral pgmq.metrics(q.name || '_dead') d;
comment on view private.queue_health is 'For operators: depth, age of the oldest message, dead letters of each queue.';
-- ./00_foundation/40_verbs.sql
-- The public functions, as private.call knows them. Filled from the catalog by private.install().
create table private.verbs (
  name      text primary key,          -- no overloads: one operation, one name
  arg_names text[] not null,
  arg_types regtype[] not null
);
comment on table private.verbs is 'Names and argument types of the functions in schema public.';
alter table private.verbs enable row level security;
-- No policy, no grant: private.call reads it before it takes the caller's role.

-- Runs a public function as the caller, in one round trip: the caller's role and claims hold for this one statement.
-- It must be the only statement of its transaction, so that they end with it.
create function private.call(claims jsonb, verb text, args jsonb default '{}', out status int, out data jsonb)
language plpgsql volatile security invoker  -- a definer may not set the role
set search_path = ''
as $$
declare
  found_verb private.verbs;
  given      record;
  place      int;
  arguments  text := '';
begin
  if coalesce(claims ->> 'role', '') not in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT401' using message = 'The token has no role that may call';
  end if;
  select * into found_verb from private.verbs v where v.name = call.verb;
  if not found then
    raise sqlstate 'PT400' using message = format('There is no operation %L', call.verb);
  end if;
  for given in select e.key, regexp_replace(e.key, '([A-Z])', '_\1', 'g') as folded from jsonb_object_keys(args) e(key) loop
    place := array_position(found_verb.arg_names, lower(given.folded));
    if place is null then
      raise sqlstate 'PT400' using message = format('%L is not a field of this request', given.key);
    end if;
    arguments := arguments || case when arguments = '' then '' else ', ' end
      || format('%I => %s', found_verb.arg_names[place], private.argument(found_verb.arg_types[place], given.key));
  end loop;
  perform set_config('role', claims ->> 'role', true), set_config('request.jwt.claims', claims::text, true);
  execute format('select to_jsonb(public.%I(%s))', found_verb.name, arguments) into data using args;
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
end $$;
comment on function private.call is
  'The one way in from the edge functions: runs `verb` as the caller of `claims` with named `args` (camelCase or snake_case; absent keeps the default). PT401 no usable role, PT400 unknown verb or key.';
revoke all on function private.call from public, anon, authenticated, service_role;
-- No grant: the functions' own connection owns it.

create function private.argument(type regtype, key text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case
    when type = 'jsonb'::regtype then format('nullif($1 -> %L, ''null'')', key)
    when type::text like '%[]' then
      format('(case when $1 -> %1$L <> ''null'' then array(select jsonb_array_elements_text($1 -> %1$L)) end)::%2$s', key, type)
    else format('($1 ->> %L)::%s', key, type)
  end;
end $$;
comment on function private.argument is 'The expression that takes one argument out of private.call''s JSON.';
revoke all on function private.argument from public, anon, authenticated, service_role;
-- ./00_foundation/50_health_check.sql
-- Is the database there? Asked by GET /api/health/ready.
create function public.health_check() returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('status', 'ok', 'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end $$;
comment on function public.health_check is 'GET /api/health/ready: {status, timestamp}.';
revoke all on function public.health_check from public, anon, authenticated, service_role;
grant execute on function public.health_check to anon, authenticated, service_role;
-- ./10_accounts/10_plans.sql
-- Plans: what an account may do. Rows come from private.install().
create table public.plans (
  code                   text primary key,
  name                   text not null,
  is_paid                boolean not null,
  storage_gb_per_account int not null,   -- 1 GB = 1,073,741,824 bytes
  constraint code_is_a_word check (code ~ '^[a-z][a-z0-9_]*$'),
  constraint storage_is_positive check (storage_gb_per_account > 0)
);
comment on table public.plans is 'The plans that an account can be on.';
-- Who
alter table public.plans enable row level security;
create policy everyone_reads on public.plans for select to anon, authenticated using (true);  -- a price list
grant select on public.plans to anon, authenticated, service_role;
-- ./10_accounts/11_profiles.sql
-- Profiles: the person behind a confirmed account. An unconfirmed sign-up has none, and so owns nothing.
create table public.profiles (
  id           uuid primary key references auth.users on delete cascade,
  display_name text,
  avatar_url   text,
  timezone     text not null default 'UTC',   -- IANA
  locale       text not null default 'en',    -- BCP 47
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint display_name_is_1_to_200_long check (char_length(display_name) between 1 and 200),
  constraint avatar_is_a_url check (private.is_http_url(avatar_url)),
  constraint locale_is_a_tag check (locale ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$')
);
comment on table public.profiles is 'One row per confirmed user; made by provisioning, never by a client.';
-- Who: the policy that lets fellow members read is in 20_podcasts/12_colleagues.sql.
alter table public.profiles enable row level security;
create policy self_updates on public.profiles for update to authenticated
  using (id = (select auth.uid())) with check (id = (select auth.uid()));
grant select on public.profiles to authenticated;
grant update (display_name, avatar_url, timezone, locale) on public.profiles to authenticated;
grant select, update on public.profiles to service_role;
-- No insert or delete grant: a profile comes with the confirmed e-mail and goes with the user.

-- Always
create function private.tidy_profile() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  if tg_op = 'INSERT' or new.timezone is distinct from old.timezone then
    begin
      perform now() at time zone new.timezone;
    exception when invalid_parameter_value then
      raise sqlstate 'PT400' using message = format('%L is not an IANA time zone', new.timezone);
    end;
  end if;
  return new;
end $$;
revoke all on function private.tidy_profile from public, anon, authenticated, service_role;
create trigger t100_tidy before insert or update on public.profiles
  for each row execute function private.tidy_profile();
-- ./10_accounts/12_billing_accounts.sql
-- Billing accounts: one per user. Billing is desired state: the flags say what should be, the worker makes it so.
create table public.billing_accounts (
  user_id              uuid primary key references public.profiles on delete cascade,
  plan_code            text not null default 'free' references public.plans,
  subscription_status  text not null default 'none',
  collection_paused    boolean not null default false,
  cancel_at_period_end boolean not null default false,
  storage_bytes_used   bigint not null default 0,   -- kept exact by the media objects' trigger
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  constraint storage_is_not_negative check (storage_bytes_used >= 0)
);
comment on table public.billing_accounts is 'Plan, subscription and storage of an account. Read by its user, written by the server only.';
create index billing_accounts_plan_code_idx on public.billing_accounts (plan_code);
-- Who
alter table public.billing_accounts enable row level security;
create policy self_reads on public.billing_accounts for select to authenticated using (user_id = (select auth.uid()));
grant select on public.billing_accounts to authenticated;
grant select, update on public.billing_accounts to service_role;
-- No write grant to users: plans change by billing, bytes by uploads.
-- ./10_accounts/20_provisioning.sql
-- Provisioning (contract, Authentication 8): profile and billing account come when the e-mail is confirmed, or at
-- insert when it already is. The trigger on auth.users is put there by private.install(): schema diffs skip it.
create function private.provision_user() returns trigger
language plpgsql security definer  -- runs as supabase_auth_admin, who may not write our tables
set search_path = ''
as $$
declare
  given text := coalesce(
    new.raw_user_meta_data ->> 'display_name', new.raw_user_meta_data ->> 'full_name', new.raw_user_meta_data ->> 'name');
  avatar text := new.raw_user_meta_data ->> 'avatar_url';
begin
  -- What a sign-up form sent must never keep someone from confirming: what does not fit is left out.
  insert into public.profiles (id, display_name, avatar_url)
  values (new.id, nullif(btrim(left(given, 200)), ''), case when private.is_http_url(avatar) then avatar end)
  on conflict (id) do nothing;
  insert into public.billing_accounts (user_id) values (new.id) on conflict (user_id) do nothing;
  return null;
end $$;
revoke all on function private.provision_user from public, anon, authenticated, service_role;
-- ./10_accounts/50_reap_unconfirmed_users.sql
-- Deletes sign-ups that nobody confirmed (contract, Authentication 8). A daily job; the setting says after how many days.
create function private.delete_unconfirmed_user(user_id uuid) returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  confirmed_at timestamptz;
begin
  -- the lock makes a confirmation that is on its way either come first, and then be seen, or find no row
  select u.email_confirmed_at into confirmed_at from auth.users u where u.id = delete_unconfirmed_user.user_id for update;
  if not found then
    return false;
  end if;
  if confirmed_at is not null then
    raise sqlstate 'PT409' using message = 'A confirmed user is not deleted as unconfirmed';
  end if;
  delete from auth.users u where u.id = delete_unconfirmed_user.user_id;
  return true;
end $$;
comment on function private.delete_unconfirmed_user is 'Deletes one unconfirmed user under a row lock; refuses a confirmed one with PT409.';
revoke all on function private.delete_unconfirmed_user from public, anon, authenticated, service_role;

create function private.reap_unconfirmed_users(at timestamptz default now()) returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  stale  uuid;
  reaped int := 0;
begin
  for stale in
    select u.id from auth.users u
    where u.email_confirmed_at is null and u.phone_confirmed_at is null and u.invited_at is null
      and not u.is_anonymous
      and u.created_at < at - make_interval(days => private.setting('unconfirmed_user_days')::int)
    order by u.created_at limit 1000
  loop
    begin
      reaped := reaped + private.delete_unconfirmed_user(stale)::int;
    exception when sqlstate 'PT409' then
      null;  -- confirmed in the meantime: theirs to keep
    end;
  end loop;
  return reaped;
end $$;
comment on function private.reap_unconfirmed_users is 'Deletes unconfirmed, non-invited users older than the setting unconfirmed_user_days; at most 1,000 a run.';
revoke all on function private.reap_unconfirmed_users from public, anon, authenticated, service_role;
-- ./20_podcasts/10_podcasts.sql
-- Podcasts: the show, and everything its feed's channel says.
create type public.podcast_status as enum ('active', 'paused', 'pending_deletion', 'deleted');
create type public.hosting_type as enum ('native', 'external');
create type public.podcast_type as enum ('episodic', 'serial');

create table public.podcasts (
  id                 uuid primary key default gen_random_uuid(),
  owner_id           uuid not null default auth.uid() references public.profiles on delete restrict,  -- kept equal to the owner member
  slug               text not null unique,
  title              text not null,
  description        text not null default '',
  language           text not null default 'en',                  -- BCP 47
  author             text,
  owner_name         text,
  owner_email        text,
  show_owner_email   boolean not null default false,              -- the feed names no address unless the podcaster asks
  categories         jsonb not null default '[]',                 -- [{category, subcategory?}], Apple's list
  explicit           boolean not null default false,
  type               public.podcast_type not null default 'episodic',
  copyright          text,
  link               text,
  medium             text not null default 'podcast',
  funding            jsonb not null default '[]',                 -- [{url, text}]
  complete           boolean not null default false,
  block              boolean not null default false,
  podcast_guid       uuid not null,
  locked             boolean not null default true,
  verify_texts       jsonb not null default '[]',                 -- [{text, purpose?}]
  apple_verify_token text,
  ai_disclosure      text,
  hosting_type       public.hosting_type not null default 'native',
  status             public.podcast_status not null default 'active',
  cover_image_url    text,
  header_image_url   text,
  banner_image_url   text,
  profile_image_url  text,
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  constraint title_is_1_to_255_long check (char_length(btrim(title)) >= 1 and char_length(title) <= 255),
  constraint slug_is_1_to_100_long check (char_length(slug) between 1 and 100 and slug !~ '[/?#%\s]'),
  constraint description_is_at_most_10000_long check (char_length(description) <= 10000),
  constraint language_is_a_tag check (language ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$'),
  constraint names_are_at_most_255_long check (
    char_length(author) <= 255 and char_length(owner_name) <= 255 and char_length(copyright) <= 255),
  constraint owner_email_is_an_address check (owner_email ~ '^[^@\s]+@[^@\s]+$' and char_length(owner_email) <= 254),
  constraint link_is_a_url check (private.is_http_url(link)),
  constraint images_are_urls check (
    (cover_image_url is null or private.is_http_url(cover_image_url))
    and (header_image_url is null or private.is_http_url(header_image_url))
    and (banner_image_url is null or private.is_http_url(banner_image_url))
    and (profile_image_url is null or private.is_http_url(profile_image_url))),
  -- https://github.com/Podcastindex-org/podcast-namespace, medium; a trailing L is a list of that medium
  constraint medium_is_known check (medium ~ '^(podcast|music|video|film|audiobook|newsletter|blog|publisher|course|mixed)L?$'),
  constraint tokens_are_at_most_1000_long check (char_length(apple_verify_token) <= 1000 and char_length(ai_disclosure) <= 4000),
  constraint lists_are_arrays check (
    jsonb_typeof(categories) = 'array' and jsonb_typeof(funding) = 'array' and jsonb_typeof(verify_texts) = 'array')
);
comment on table public.podcasts is 'A show. Members read it, admins edit it, create_podcast or a plain insert makes it.';
create index podcasts_owner_id_idx on public.podcasts (owner_id);

-- Slugs are never given to another podcast, not even after a deletion: old feed addresses must not change hands.
create table private.podcast_slugs (
  slug       text primary key,
  podcast_id uuid not null
);
comment on table private.podcast_slugs is 'Every slug that a podcast ever had.';
alter table private.podcast_slugs enable row level security;
-- No policy, no grant.

-- Apple's categories, filled by private.install(): https://podcasters.apple.com/support/1691-apple-podcasts-categories
create table public.podcast_categories (
  category    text not null,
  subcategory text not null default '',   -- '' is the category itself
  primary key (category, subcategory)
);
comment on table public.podcast_categories is 'The categories and subcategories that directories know.';
alter table public.podcast_categories enable row level security;
create policy everyone_reads on public.podcast_categories for select to anon, authenticated using (true);
grant select on public.podcast_categories to anon, authenticated, service_role;
-- ./20_podcasts/11_podcast_members.sql
-- Members: who works on a podcast, and as what.
create type public.podcast_role as enum ('member', 'admin', 'owner');  -- in rank order: >= works

create table public.podcast_members (
  podcast_id               uuid not null references public.podcasts on delete cascade,
  user_id                  uuid not null references public.profiles on delete cascade,
  role                     public.podcast_role not null default 'member',
  auto_add_to_new_episodes boolean not null default false,
  created_at               timestamptz not null default now(),
  primary key (podcast_id, user_id)
);
comment on table public.podcast_members is 'A podcast''s team. Exactly one owner, who is podcasts.owner_id.';
create index podcast_members_user_id_idx on public.podcast_members (user_id, podcast_id, role);
create unique index podcast_members_one_owner_idx on public.podcast_members (podcast_id) where role = 'owner';

-- Who may act: asked once per statement by every policy, as any ((select private.my_podcasts('admin'))::uuid[]).
create function private.my_podcasts(role public.podcast_role) returns uuid[]
language plpgsql stable parallel safe security definer  -- reads memberships below the policies that call it
set search_path = ''
as $$
begin
  return coalesce((
    select array_agg(m.podcast_id) from public.podcast_members m
    where m.user_id = auth.uid() and m.role >= my_podcasts.role), '{}');
end $$;
comment on function private.my_podcasts is 'The podcasts on which the caller has at least this role.';
revoke all on function private.my_podcasts from public, anon, authenticated, service_role;
grant execute on function private.my_podcasts to authenticated, service_role;

create function private.require_role(podcast_id uuid, role public.podcast_role) returns void
language plpgsql stable security definer  -- tells a missing podcast from a forbidden one
set search_path = ''
as $$
declare
  held public.podcast_role;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  perform from public.podcasts p where p.id = require_role.podcast_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  select m.role into held from public.podcast_members m
  where m.podcast_id = require_role.podcast_id and m.user_id = auth.uid();
  if held is null or held < require_role.role then
    raise sqlstate 'PT403' using message = case require_role.role
      when 'member' then 'You are not a member of this podcast'
      when 'admin' then 'This needs an admin or the owner of the podcast'
      else 'This needs the owner of the podcast' end;
  end if;
end $$;
comment on function private.require_role is 'Returns when the caller has at least this role; PT401, PT404 or PT403 otherwise.';
revoke all on function private.require_role from public, anon, authenticated, service_role;
grant execute on function private.require_role to authenticated, service_role;

-- Nothing is written to a podcast that is on its way out (409); what goes with the podcast itself may go.
create function private.require_open_podcast(podcast_id uuid) returns void
language plpgsql stable security definer  -- sees the podcast whatever the caller's policies
set search_path = ''
as $$
declare
  status public.podcast_status;
begin
  select p.status into status from public.podcasts p where p.id = require_open_podcast.podcast_id;
  if status in ('pending_deletion', 'deleted') then
    raise sqlstate 'PT409' using message = 'The podcast is scheduled for deletion', hint = 'PODCAST_PENDING_DELETION';
  end if;
end $$;
comment on function private.require_open_podcast is 'PT409 when the podcast is pending deletion or deleted.';
revoke all on function private.require_open_podcast from public, anon, authenticated, service_role;
grant execute on function private.require_open_podcast to authenticated, service_role;

create function private.guard_open_podcast() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform private.require_open_podcast(case when tg_op = 'DELETE' then old.podcast_id else new.podcast_id end);
  return case when tg_op = 'DELETE' then old else new end;
end $$;
revoke all on function private.guard_open_podcast from public, anon, authenticated, service_role;

-- Who
alter table public.podcast_members enable row level security;
create policy members_read on public.podcast_members for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
create policy admins_update on public.podcast_members for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete_and_members_leave on public.podcast_members for delete to authenticated
  using (user_id = (select auth.uid()) or podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.podcast_members to authenticated;
grant update (role, auto_add_to_new_episodes) on public.podcast_members to authenticated;
grant select, insert, update, delete on public.podcast_members to service_role;
-- No insert grant: add_podcast_member finds people by their confirmed address.

-- Always
create trigger t300_guard_open before insert or update or delete on public.podcast_members
  for each row execute function private.guard_open_podcast();

create function private.guard_owner() returns trigger
language plpgsql security definer  -- compares with the podcast whatever the caller's policies
set search_path = ''
as $$
declare
  owner_id uuid;
begin
  select p.owner_id into owner_id from public.podcasts p
  where p.id = case when tg_op = 'DELETE' then old.podcast_id else new.podcast_id end;
  if tg_op = 'DELETE' then
    if old.user_id = owner_id then
      raise sqlstate 'PT409' using message = 'The owner cannot be removed; transfer the podcast first', hint = 'OWNER_STAYS';
    end if;
    return old;
  end if;
  if (new.role = 'owner') <> (new.user_id = owner_id) then
    raise sqlstate 'PT409' using message = case when new.role = 'owner'
      then 'Ownership moves only by a transfer of the podcast'
      else 'The owner cannot be demoted; transfer the podcast first' end, hint = 'OWNER_STAYS';
  end if;
  return new;
end $$;
revoke all on function private.guard_owner from public, anon, authenticated, service_role;
create trigger t310_guard_owner before insert or update or delete on public.podcast_members
  for each row execute function private.guard_owner();
-- ./20_podcasts/12_colleagues.sql
-- Fellow members see each other's profiles. One policy on the accounts' table, because two cost twice.
create function private.my_colleagues() returns uuid[]
language plpgsql stable parallel safe security definer  -- reads memberships below the policy that calls it
set search_path = ''
as $$
begin
  return coalesce((
    select array_agg(distinct theirs.user_id)
    from public.podcast_members mine
    join public.podcast_members theirs using (podcast_id)
    where mine.user_id = auth.uid()), '{}');
end $$;
comment on function private.my_colleagues is 'Everyone who shares a podcast with the caller.';
revoke all on function private.my_colleagues from public, anon, authenticated, service_role;
grant execute on function private.my_colleagues to authenticated, service_role;

create policy self_and_colleagues_read on public.profiles for select to authenticated
  using (id = (select auth.uid()) or id = any ((select private.my_colleagues())::uuid[]));
-- ./20_podcasts/13_podcast_rules.sql
-- What holds for every podcast, whoever writes it.
-- Who
alter table public.podcasts enable row level security;
-- owner_id stands beside the memberships because an insert's RETURNING is checked before the owner's row exists
create policy members_read on public.podcasts for select to authenticated
  using (owner_id = (select auth.uid()) or id = any ((select private.my_podcasts('member'))::uuid[]));
create policy anyone_creates on public.podcasts for insert to authenticated
  with check (owner_id = (select auth.uid()));
create policy admins_update on public.podcasts for update to authenticated
  using (id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select on public.podcasts to authenticated;
grant insert (id, slug, title, description, language, author, owner_name, owner_email, show_owner_email, categories, explicit,
    type, copyright, link, medium, funding, complete, block, podcast_guid, locked, verify_texts, apple_verify_token,
    ai_disclosure, hosting_type, cover_image_url, header_image_url, banner_image_url, profile_image_url)
  on public.podcasts to authenticated;
grant update (title, description, language, author, owner_name, owner_email, show_owner_email, categories, explicit,
    type, copyright, link, medium, funding, complete, block, locked, verify_texts, apple_verify_token,
    ai_disclosure, cover_image_url, header_image_url, banner_image_url, profile_image_url)
  on public.podcasts to authenticated;
grant select, insert, update on public.podcasts to service_role;
-- Not granted: owner_id (transfer_podcast), status (the lifecycle verbs), slug, podcast_guid and hosting_type after
-- the insert (the feed's address and identity), delete (the lifecycle verbs).

-- Always
create function private.tidy_podcast() returns trigger
language plpgsql security definer  -- the slug ledger is not the caller's
set search_path = ''
as $$
declare
  wanted text;
begin
  new.updated_at := clock_timestamp();
  new.title := btrim(new.title);
  if tg_op = 'INSERT' then
    -- serialises two podcasts that want the same slug: the second sees the first
    wanted := private.slugify(coalesce(new.slug, new.title), 'podcast');
    perform pg_advisory_xact_lock(hashtextextended('podcast-slug/' || wanted, 0));
    if new.slug is not null then
      new.slug := wanted;
    else
      new.slug := private.free_slug(wanted, array(
        select s.slug from private.podcast_slugs s where s.slug = wanted or s.slug like replace(wanted, '_', '\_') || '-%'));
    end if;
    insert into private.podcast_slugs (slug, podcast_id) values (new.slug, new.id);
    -- https://github.com/Podcastindex-org/podcast-namespace, guid: UUIDv5 of the feed URL without its scheme
    new.podcast_guid := coalesce(new.podcast_guid, extensions.uuid_generate_v5(
      'ead4c236-bf58-58c6-a2c6-a6b28d128cb6', regexp_replace(private.feed_url(new.slug), '^[a-z]+://', '')));
  end if;
  return new;
exception when unique_violation then
  raise sqlstate 'PT409' using message = format('The slug %L is taken', new.slug), hint = 'SLUG_TAKEN';
end $$;
revoke all on function private.tidy_podcast from public, anon, authenticated, service_role;
create trigger t100_tidy before insert or update on public.podcasts
  for each row execute function private.tidy_podcast();

create function private.free_slug(wanted text, taken text[]) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  slug text := wanted;
  n    int := 1;
begin
  while slug = any (taken) loop
    n := n + 1;
    slug := wanted || '-' || n;
  end loop;
  return slug;
end $$;
comment on function private.free_slug is 'The wanted slug, or the first of wanted-2, wanted-3 … that is not taken.';
revoke all on function private.free_slug from public, anon, authenticated, service_role;

create function private.feed_url(slug text) returns text
language sql stable security invoker set search_path = ''
as $$ select private.setting('public_api_url') || '/feeds/' || slug || '.xml' $$;
comment on function private.feed_url is 'Where a podcast''s feed is served.';
revoke all on function private.feed_url from public, anon, authenticated, service_role;
grant execute on function private.feed_url to anon, authenticated, service_role;

create function private.guard_podcast() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    if old.status in ('pending_deletion', 'deleted') then
      raise sqlstate 'PT409' using message = 'The podcast is scheduled for deletion', hint = 'PODCAST_PENDING_DELETION';
    end if;
    if (new.slug, new.podcast_guid, new.hosting_type) is distinct from (old.slug, old.podcast_guid, old.hosting_type) then
      raise sqlstate 'PT409' using message = 'A podcast keeps its slug, its GUID and its hosting type';
    end if;
  end if;
  return new;
end $$;
revoke all on function private.guard_podcast from public, anon, authenticated, service_role;
-- not on the lifecycle's columns: the lifecycle verbs write those whatever the status
create trigger t300_guard before insert or update of owner_id, slug, title, description, language, author, owner_name,
    owner_email, show_owner_email, categories, explicit, type, copyright, link, medium, funding, complete, block,
    podcast_guid, locked, verify_texts, apple_verify_token, ai_disclosure, hosting_type,
    cover_image_url, header_image_url, banner_image_url, profile_image_url on public.podcasts
  for each row execute function private.guard_podcast();

create function private.guard_podcast_lists() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  entry jsonb;
begin
  if 'array' <> any (array[jsonb_typeof(new.categories), jsonb_typeof(new.funding), jsonb_typeof(new.verify_texts)]) then
    return new;  -- refused by the check lists_are_arrays
  end if;
  if jsonb_array_length(new.categories) > 3 or jsonb_array_length(new.funding) > 10 or jsonb_array_length(new.verify_texts) > 20 then
    raise sqlstate 'PT400' using message = 'At most 3 categories, 10 funding links and 20 verify texts';
  end if;
  for entry in select value from jsonb_array_elements(new.categories) loop
    perform from public.podcast_categories c
    where c.category = entry ->> 'category' and c.subcategory = coalesce(entry ->> 'subcategory', '');
    if not found then
      raise sqlstate 'PT400' using message = format('Unknown category: %s', entry), detail = 'See the table podcast_categories';
    end if;
  end loop;
  for entry in select value from jsonb_array_elements(new.funding) loop
    if not coalesce(private.is_http_url(entry ->> 'url'), false) or char_length(coalesce(entry ->> 'text', '')) not between 1 and 128 then
      raise sqlstate 'PT400' using message = 'A funding entry needs a url (http or https) and a text of 1 to 128 characters';
    end if;
  end loop;
  for entry in select value from jsonb_array_elements(new.verify_texts) loop
    if char_length(coalesce(entry ->> 'text', '')) not between 1 and 4000 or char_length(coalesce(entry ->> 'purpose', '')) > 128 then
      raise sqlstate 'PT400' using message = 'A verify text needs a text of 1 to 4,000 characters, and its purpose is at most 128 long';
    end if;
  end loop;
  return new;
end $$;
revoke all on function private.guard_podcast_lists from public, anon, authenticated, service_role;
create trigger t310_guard_lists before insert or update of categories, funding, verify_texts on public.podcasts
  for each row execute function private.guard_podcast_lists();

-- After
create function private.seat_owner() returns trigger
language plpgsql security definer  -- members have no insert grant
set search_path = ''
as $$
begin
  insert into public.podcast_members (podcast_id, user_id, role) values (new.id, new.owner_id, 'owner');
  return null;
end $$;
revoke all on function private.seat_owner from public, anon, authenticated, service_role;
create trigger t500_seat_owner after insert on public.podcasts
  for each row execute function private.seat_owner();
-- ./20_podcasts/50_create_podcast.sql
-- Creates a podcast; the caller becomes its owner. A plain insert into podcasts does the same.
create function public.create_podcast(
  title        text,
  hosting_type public.hosting_type default 'native',
  slug         text default null,
  description  text default '',
  language     text default 'en',
  author       text default null,
  categories   jsonb default '[]',
  explicit     boolean default false,
  type         public.podcast_type default 'episodic',
  link         text default null
) returns public.podcasts
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  made public.podcasts;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  insert into public.podcasts (title, hosting_type, slug, description, language, author, categories, explicit, type, link)
  values (create_podcast.title, create_podcast.hosting_type, create_podcast.slug, create_podcast.description,
    create_podcast.language, create_podcast.author, create_podcast.categories, create_podcast.explicit,
    create_podcast.type, create_podcast.link)
  returning * into made;
  return made;
end $$;
comment on function public.create_podcast is
  'A new podcast with the caller as owner. Without a slug, one is made from the title. 400 bad field, 401 no user, 409 SLUG_TAKEN.';
revoke all on function public.create_podcast from public, anon, authenticated, service_role;
grant execute on function public.create_podcast to authenticated;
-- ./20_podcasts/51_add_podcast_member.sql
-- Adds a confirmed user to the team, by e-mail address.
create function private.seat_member(podcast_id uuid, email text, role public.podcast_role) returns public.podcast_members
language plpgsql volatile security definer  -- looks people up by address, which no client may
set search_path = ''
as $$
declare
  found_user uuid;
  seated     public.podcast_members;
begin
  perform private.require_role(seat_member.podcast_id, 'admin');
  select u.id into found_user from auth.users u
  join public.profiles p on p.id = u.id
  where lower(u.email) = lower(btrim(seat_member.email)) and u.email_confirmed_at is not null and not u.is_sso_user;
  if not found then
    raise sqlstate 'PT404' using message = 'Nobody with this address has a confirmed account', hint = 'USER_NOT_FOUND';
  end if;
  insert into public.podcast_members as m (podcast_id, user_id, role)
  values (seat_member.podcast_id, found_user, seat_member.role)
  on conflict on constraint podcast_members_pkey do nothing
  returning m.* into seated;
  if seated.user_id is null then
    raise sqlstate 'PT409' using message = 'This person is already on the team', hint = 'ALREADY_MEMBER';
  end if;
  return seated;
end $$;
revoke all on function private.seat_member from public, anon, authenticated, service_role;
grant execute on function private.seat_member to authenticated;  -- checks the role itself

create function public.add_podcast_member(podcast_id uuid, email text, role public.podcast_role default 'member')
returns public.podcast_members
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.seat_member(add_podcast_member.podcast_id, add_podcast_member.email, add_podcast_member.role);
end $$;
comment on function public.add_podcast_member is
  'Adds a confirmed user to a podcast''s team as member or admin. Needs admin+. 403, 404 podcast or USER_NOT_FOUND, 409 ALREADY_MEMBER, OWNER_STAYS.';
revoke all on function public.add_podcast_member from public, anon, authenticated, service_role;
grant execute on function public.add_podcast_member to authenticated;
-- ./20_podcasts/52_transfer_podcast.sql
-- Hands a podcast to another member; the old owner stays as an admin.
create function private.move_ownership(podcast_id uuid, user_id uuid) returns public.podcasts
language plpgsql volatile security definer  -- owner_id and the owner's role are the server's columns
set search_path = ''
as $$
declare
  moved     public.podcasts;
  old_owner uuid;
begin
  perform private.require_role(move_ownership.podcast_id, 'owner');
  select p.owner_id into old_owner from public.podcasts p where p.id = move_ownership.podcast_id for update;
  if old_owner is distinct from auth.uid() then
    raise sqlstate 'PT409' using message = 'The podcast has just been transferred';
  end if;
  perform from public.podcast_members m
  where m.podcast_id = move_ownership.podcast_id and m.user_id = move_ownership.user_id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'The new owner must be a member of the podcast', hint = 'NOT_A_MEMBER';
  end if;
  update public.podcasts p set owner_id = move_ownership.user_id where p.id = move_ownership.podcast_id returning * into moved;
  update public.podcast_members m set role = 'admin'
  where m.podcast_id = move_ownership.podcast_id and m.user_id = old_owner and old_owner <> move_ownership.user_id;
  update public.podcast_members m set role = 'owner'
  where m.podcast_id = move_ownership.podcast_id and m.user_id = move_ownership.user_id;
  return moved;
end $$;
revoke all on function private.move_ownership from public, anon, authenticated, service_role;
grant execute on function private.move_ownership to authenticated;  -- checks the role itself

create function public.transfer_podcast(podcast_id uuid, user_id uuid) returns public.podcasts
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.move_ownership(transfer_podcast.podcast_id, transfer_podcast.user_id);
end $$;
comment on function public.transfer_podcast is
  'Makes another member the owner; the old owner becomes an admin, the stored bytes count on the new owner''s account. Owner only. 403, 404 podcast or NOT_A_MEMBER, 409 allowance.';
revoke all on function public.transfer_podcast from public, anon, authenticated, service_role;
grant execute on function public.transfer_podcast to authenticated;
-- ./30_episodes/10_episodes.sql
-- Episodes: what is published, when, and what its feed item says.
create type public.episode_status as enum ('draft', 'scheduled', 'published', 'archived');
create type public.episode_origin as enum ('app', 'import');
create type public.episode_type as enum ('full', 'trailer', 'bonus');

create table public.episodes (
  id                     uuid primary key default gen_random_uuid(),
  podcast_id             uuid not null references public.podcasts on delete cascade,
  slug                   text not null,
  guid                   text not null,                            -- never changes; an imported one letter for letter
  title                  text not null,
  summary                text,                                     -- plain text
  description            text not null default '',
  notes_html             text,                                     -- HTML, the feed's content:encoded
  status                 public.episode_status not null default 'draft',
  origin                 public.episode_origin not null default 'app',
  season_number          int,
  episode_number         int,
  episode_type           public.episode_type not null default 'full',
  explicit               boolean not null default false,
  scheduled_at           timestamptz,
  published_at           timestamptz,
  first_published_at     timestamptz,                              -- set once: null means never publicly served
  created_by             uuid default auth.uid() references public.profiles on delete set null,
  transcripts            jsonb not null default '[]',              -- [{url, type, language?, rel?}]
  chapters_url           text,
  audio_url              text,                                     -- the audio columns are the server's
  audio_file_size_bytes  bigint,                                   -- measured from the stored object
  audio_content_type     text,
  audio_duration_seconds int,
  cover_image_url        text,
  created_at             timestamptz not null default now(),
  updated_at             timestamptz not null default now(),       -- to the microsecond: a feed fragment is fresh when it was made from this
  constraint slug_is_unique unique (podcast_id, slug),
  constraint guid_is_unique unique (podcast_id, guid),
  constraint title_is_1_to_255_long check (char_length(btrim(title)) >= 1 and char_length(title) <= 255),
  constraint slug_is_1_to_100_long check (char_length(slug) between 1 and 100 and slug !~ '[/?#%\s]'),
  constraint guid_is_1_to_1000_long check (char_length(guid) between 1 and 1000),
  constraint texts_are_bounded check (
    char_length(summary) <= 4000 and char_length(description) <= 10000 and octet_length(notes_html) <= 1048576),
  constraint numbers_are_not_negative check (season_number >= 0 and episode_number >= 0),
  constraint scheduled_has_a_time check (status <> 'scheduled' or scheduled_at is not null),
  constraint published_has_a_time check (status <> 'published' or (published_at is not null and first_published_at is not null)),
  constraint audio_is_whole check (num_nulls(audio_url, audio_file_size_bytes, audio_content_type) in (0, 3)),
  constraint audio_is_measured check (audio_file_size_bytes >= 0 and audio_duration_seconds >= 0),
  constraint audio_type_is_known check (audio_content_type in ('audio/mpeg', 'audio/mp4', 'audio/x-m4a', 'audio/wav', 'audio/x-wav')),
  constraint urls_are_urls check (
    (cover_image_url is null or private.is_http_url(cover_image_url))
    and (chapters_url is null or private.is_http_url(chapters_url))),
  constraint transcripts_are_an_array check (jsonb_typeof(transcripts) = 'array')
);
comment on table public.episodes is 'An episode. Members read it, admins edit it; the audio columns are written by finish_audio_upload only.';
create index episodes_podcast_id_idx on public.episodes (podcast_id, created_at desc, id desc);
create index episodes_published_idx on public.episodes (podcast_id, published_at desc, id desc) where status = 'published';
create index episodes_scheduled_idx on public.episodes (scheduled_at) where status = 'scheduled';
create index episodes_created_by_idx on public.episodes (created_by);

-- Slugs stay with their episode, also after a change and after its deletion: old links must not lead elsewhere.
create table private.episode_slugs (
  podcast_id uuid not null references public.podcasts on delete cascade,
  slug       text not null,
  episode_id uuid not null,
  primary key (podcast_id, slug)
);
comment on table private.episode_slugs is 'Every slug that an episode of this podcast ever had.';
alter table private.episode_slugs enable row level security;
-- No policy, no grant.

-- Who
alter table public.episodes enable row level security;
create policy members_read on public.episodes for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
create policy admins_insert on public.episodes for insert to authenticated
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_update on public.episodes for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete on public.episodes for delete to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.episodes to authenticated;
grant insert (id, podcast_id, slug, title, summary, description, notes_html, status, season_number, episode_number,
    episode_type, explicit, scheduled_at, published_at, transcripts, chapters_url, cover_image_url)
  on public.episodes to authenticated;
grant update (slug, title, summary, description, notes_html, status, season_number, episode_number,
    episode_type, explicit, scheduled_at, published_at, transcripts, chapters_url, cover_image_url)
  on public.episodes to authenticated;
grant select, insert, update, delete on public.episodes to service_role;
-- Not granted: the audio columns (measured, never claimed: 42501), guid, origin, created_by, first_published_at.
-- ./30_episodes/11_episode_rules.sql
-- What holds for every episode, whoever writes it.
-- Always
create function private.tidy_episode() returns trigger
language plpgsql security definer  -- the slug ledger is not the caller's
set search_path = ''
as $$
declare
  wanted text;
  holder uuid;
begin
  new.updated_at := clock_timestamp();
  new.title := btrim(new.title);
  if tg_op = 'INSERT' then
    new.guid := coalesce(new.guid, new.id::text);
  end if;
  if tg_op = 'INSERT' or new.slug is distinct from old.slug then
    perform pg_advisory_xact_lock(hashtextextended('episode-slug/' || new.podcast_id, 0));
    wanted := private.slugify(coalesce(new.slug, new.title), 'episode');
    if new.slug is null then
      wanted := private.free_slug(wanted, array(
        select s.slug from private.episode_slugs s where s.podcast_id = new.podcast_id and s.episode_id <> new.id));
    end if;
    new.slug := wanted;
    insert into private.episode_slugs as s (podcast_id, slug, episode_id) values (new.podcast_id, wanted, new.id)
    on conflict (podcast_id, slug) do update set episode_id = s.episode_id returning s.episode_id into holder;
    if holder <> new.id then
      raise sqlstate 'PT409' using message = format('The slug %L is taken', wanted), hint = 'SLUG_TAKEN';
    end if;
  end if;
  return new;
end $$;
revoke all on function private.tidy_episode from public, anon, authenticated, service_role;
create trigger t100_tidy before insert or update on public.episodes
  for each row execute function private.tidy_episode();

create trigger t300_guard_open before insert or update or delete on public.episodes
  for each row execute function private.guard_open_podcast();

create function private.guard_episode() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  entry jsonb;
begin
  if tg_op = 'UPDATE' then
    if new.guid is distinct from old.guid then
      raise sqlstate 'PT409' using message = 'The GUID of an episode never changes', hint = 'GUID_IS_FIXED';
    end if;
    if new.podcast_id is distinct from old.podcast_id then
      raise sqlstate 'PT409' using message = 'An episode stays on its podcast';
    end if;
    if new.slug is distinct from old.slug and old.first_published_at is not null then
      raise sqlstate 'PT409' using message = 'The slug is fixed once the episode has been published', hint = 'SLUG_IS_FIXED';
    end if;
    if old.first_published_at is not null and new.first_published_at is distinct from old.first_published_at then
      raise sqlstate 'PT409' using message = 'The first publication is set once';
    end if;
  end if;
  if new.published_at > now() and current_user in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT400' using message = 'published_at must not be in the future; schedule the episode instead';
  end if;
  for entry in select value from jsonb_array_elements(case jsonb_typeof(new.transcripts) when 'array' then new.transcripts end) loop
    if not coalesce(private.is_http_url(entry ->> 'url'), false) or coalesce(entry ->> 'type', '') !~ '^[a-z]+/[a-z0-9.+-]+$' then
      raise sqlstate 'PT400' using message = 'A transcript needs a url (http or https) and a MIME type';
    end if;
  end loop;
  return new;
end $$;
revoke all on function private.guard_episode from public, anon, authenticated, service_role;
create trigger t310_guard before insert or update on public.episodes
  for each row execute function private.guard_episode();

-- The column grants already answer 42501; this says it in words, and stands if a grant is ever too wide.
create function private.guard_audio_columns() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user in ('anon', 'authenticated')
     and (new.audio_url, new.audio_file_size_bytes, new.audio_content_type, new.audio_duration_seconds)
       is distinct from (old.audio_url, old.audio_file_size_bytes, old.audio_content_type, old.audio_duration_seconds) then
    raise sqlstate '42501' using message = 'The audio columns are written by the upload, not by clients';
  end if;
  return new;
end $$;
revoke all on function private.guard_audio_columns from public, anon, authenticated, service_role;
create trigger t320_guard_audio_columns before insert or update on public.episodes
  for each row execute function private.guard_audio_columns();

create function private.derive_episode_status() returns trigger
language plpgsql security definer  -- asks the podcast's hosting type whatever the caller's policies
set search_path = ''
as $$
declare
  becomes boolean := tg_op = 'INSERT' or new.status is distinct from old.status;
begin
  if new.status in ('published', 'scheduled') and new.audio_url is null
     and (select p.hosting_type from public.podcasts p where p.id = new.podcast_id) = 'native' then
    raise sqlstate 'PT428' using
      message = 'Upload audio before this episode is published or scheduled', hint = 'AUDIO_REQUIRED';
  end if;
  if new.status = 'scheduled' then
    if new.scheduled_at is null or ((becomes or new.scheduled_at is distinct from old.scheduled_at) and new.scheduled_at <= now()) then
      raise sqlstate 'PT400' using message = 'scheduled_at must be a time in the future';
    end if;
  else
    new.scheduled_at := null;
  end if;
  if new.status = 'published' then
    new.published_at := coalesce(new.published_at, now());
    new.first_published_at := coalesce(new.first_published_at, now());
  end if;
  return new;
end $$;
revoke all on function private.derive_episode_status from public, anon, authenticated, service_role;
create trigger t500_derive_status before insert or update on public.episodes
  for each row execute function private.derive_episode_status();
-- ./30_episodes/12_media_objects.sql
-- Media objects: every stored object that a row refers to, and since when one is not referred to any more.
-- Referred to = released_at is null = charged to the account; released objects wait for the sweep.
create table private.media_objects (
  path         text primary key,           -- in the bucket media
  account_id   uuid not null references public.billing_accounts on delete restrict,
  podcast_id   uuid not null,              -- no foreign keys: an object outlives its rows until it is collected
  episode_id   uuid,
  purpose      text not null,
  bytes        bigint not null,
  content_type text not null,
  created_at   timestamptz not null default now(),
  released_at  timestamptz,
  constraint purpose_is_known check (purpose in ('audio', 'image')),
  constraint bytes_are_positive check (bytes > 0)
);
comment on table private.media_objects is 'The stored objects of each account, with their measured size.';
create index media_objects_account_id_idx on private.media_objects (account_id);
create index media_objects_podcast_id_idx on private.media_objects (podcast_id);
create index media_objects_episode_id_idx on private.media_objects (episode_id);
create unique index media_objects_one_audio_idx on private.media_objects (episode_id) where purpose = 'audio' and released_at is null;
create index media_objects_released_at_idx on private.media_objects (released_at) where released_at is not null;
alter table private.media_objects enable row level security;
-- No policy, no grant.

create function private.allowed_bytes(account_id uuid) returns bigint
language sql stable security invoker set search_path = ''
as $$
  select p.storage_gb_per_account * 1073741824::bigint
  from public.billing_accounts a join public.plans p on p.code = a.plan_code
  where a.user_id = account_id
$$;
comment on function private.allowed_bytes is 'The storage allowance of an account in bytes; 1 GB = 1,073,741,824.';
revoke all on function private.allowed_bytes from public, anon, authenticated, service_role;

-- Always: the account's sum follows in the same transaction, under the lock of its row, and never passes the allowance.
create function private.charge_account(account_id uuid, bytes bigint) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  used bigint;
begin
  if charge_account.bytes = 0 then
    return;
  end if;
  update public.billing_accounts a set storage_bytes_used = a.storage_bytes_used + charge_account.bytes, updated_at = now()
  where a.user_id = charge_account.account_id
  returning a.storage_bytes_used into used;
  if charge_account.bytes > 0 and used > private.allowed_bytes(charge_account.account_id) then
    raise sqlstate 'PT409' using
      message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED',
      detail = jsonb_build_object('bytes_used', used - charge_account.bytes,
        'bytes_allowed', private.allowed_bytes(charge_account.account_id), 'bytes_wanted', charge_account.bytes)::text;
  end if;
end $$;
revoke all on function private.charge_account from public, anon, authenticated, service_role;

create function private.charge_media_object() returns trigger
language plpgsql security definer  -- whoever moves objects, the account's sum is the server's
set search_path = ''
as $$
declare
  freed   bigint := case when tg_op <> 'INSERT' and old.released_at is null then old.bytes else 0 end;
  charged bigint := case when tg_op <> 'DELETE' and new.released_at is null then new.bytes else 0 end;
begin
  if tg_op = 'UPDATE' and old.account_id = new.account_id then
    perform private.charge_account(new.account_id, charged - freed);
  else
    perform private.charge_account(old.account_id, -freed) where freed > 0;
    perform private.charge_account(new.account_id, charged) where charged > 0;
  end if;
  return null;
end $$;
revoke all on function private.charge_media_object from public, anon, authenticated, service_role;
create trigger t500_charge after insert or update of bytes, released_at, account_id or delete on private.media_objects
  for each row execute function private.charge_media_object();

-- The bytes of a podcast follow it to its new owner, whose allowance holds.
create function private.move_media_account() returns trigger
language plpgsql security definer  -- the ledger is not the caller's
set search_path = ''
as $$
begin
  update private.media_objects m set account_id = new.owner_id where m.podcast_id = new.id and m.account_id <> new.owner_id;
  return null;
end $$;
revoke all on function private.move_media_account from public, anon, authenticated, service_role;
create trigger t500_move_media_account after update of owner_id on public.podcasts
  for each row when (old.owner_id is distinct from new.owner_id) execute function private.move_media_account();

-- An object that nothing refers to any more: at once to the collector when nobody can have its address, else kept for
-- the sweep, so that an audio URL in a cached feed does not answer 404.
create function private.release_media_object(path text, was_public boolean) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.media_objects m set released_at = now() where m.path = release_media_object.path and m.released_at is null;
  if not was_public then
    perform private.enqueue('storage_gc', jsonb_build_object('bucket', 'media', 'paths', jsonb_build_array(release_media_object.path)));
  end if;
end $$;
revoke all on function private.release_media_object from public, anon, authenticated, service_role;

create function private.release_episode_media() returns trigger
language plpgsql security definer  -- the ledger and the queue are not the caller's
set search_path = ''
as $$
declare
  path text;
begin
  for path in select m.path from private.media_objects m where m.episode_id = old.id and m.released_at is null loop
    perform private.release_media_object(path, old.first_published_at is not null);
  end loop;
  return null;
end $$;
revoke all on function private.release_episode_media from public, anon, authenticated, service_role;
create trigger t500_release_media after delete on public.episodes
  for each row execute function private.release_episode_media();

-- The collector's two questions
create function private.collectable(paths text[]) returns text[]
language sql stable security invoker set search_path = ''
as $$
  select coalesce(array_agg(given.path), '{}') from unnest(paths) given(path)
  where not exists (select from private.media_objects m where m.path = given.path and m.released_at is null)
$$;
comment on function private.collectable is 'Those of these paths that no row refers to.';
revoke all on function private.collectable from public, anon, authenticated, service_role;

create function private.forget_objects(paths text[]) returns void
language sql volatile security invoker set search_path = ''
as $$ delete from private.media_objects m where m.path = any (paths) and m.released_at is not null $$;
comment on function private.forget_objects is 'The bytes behind these paths are gone: so are their rows.';
revoke all on function private.forget_objects from public, anon, authenticated, service_role;
-- ./30_episodes/13_announce_feed_changes.sql
-- After: whatever a feed shows has changed, so its document is rendered again. One message per change; the job renders
-- each podcast once, however many messages wait.
create function private.invalidate_feed(type text, podcast_id uuid, podcast_slug text, episode_id uuid default null) returns void
language plpgsql volatile security definer  -- the queue is not the caller's
set search_path = ''
as $$
begin
  perform private.enqueue('feed_invalidation', jsonb_build_object('type', type, 'podcast_id', podcast_id,
    'podcast_slug', podcast_slug, 'episode_id', episode_id, 'timestamp', now()));
end $$;
comment on function private.invalidate_feed is 'Queues {type, podcast_id, podcast_slug, episode_id, timestamp} for the feed renderer.';
revoke all on function private.invalidate_feed from public, anon, authenticated, service_role;

create function private.announce_podcast() returns trigger
language plpgsql security definer  -- see invalidate_feed
set search_path = ''
as $$
begin
  perform private.invalidate_feed(case tg_op when 'INSERT' then 'podcast.created' else 'podcast.updated' end, new.id, new.slug);
  return null;
end $$;
revoke all on function private.announce_podcast from public, anon, authenticated, service_role;
create trigger t900_announce_new after insert on public.podcasts
  for each row when (new.hosting_type = 'native') execute function private.announce_podcast();
create trigger t900_announce_change after update on public.podcasts
  for each row when (new.hosting_type = 'native' and old.* is distinct from new.*) execute function private.announce_podcast();

create function private.announce_episode() returns trigger
language plpgsql security definer  -- see invalidate_feed
set search_path = ''
as $$
declare
  was_listed boolean := tg_op <> 'INSERT' and old.status = 'published';
  is_listed  boolean := tg_op <> 'DELETE' and new.status = 'published';
  podcast    public.podcasts;
begin
  if not was_listed and not is_listed then
    return null;
  end if;
  select * into podcast from public.podcasts p where p.id = case tg_op when 'DELETE' then old.podcast_id else new.podcast_id end;
  if podcast.hosting_type = 'native' then  -- not found: the podcast goes too
    perform private.invalidate_feed(
      case when not was_listed then 'episode.published' when not is_listed then 'episode.unpublished' else 'episode.updated' end,
      podcast.id, podcast.slug, case tg_op when 'DELETE' then old.id else new.id end);
  end if;
  return null;
end $$;
revoke all on function private.announce_episode from public, anon, authenticated, service_role;
create trigger t900_announce_feed after insert or update or delete on public.episodes
  for each row execute function private.announce_episode();
-- ./30_episodes/50_create_episode.sql
-- Creates a draft. A plain insert into episodes does the same.
create function public.create_episode(
  podcast_id     uuid,
  title          text,
  slug           text default null,
  summary        text default null,
  description    text default '',
  notes_html     text default null,
  season_number  int default null,
  episode_number int default null,
  episode_type   public.episode_type default 'full',
  explicit       boolean default false
) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  made public.episodes;
begin
  perform private.require_role(create_episode.podcast_id, 'admin');
  insert into public.episodes (podcast_id, title, slug, summary, description, notes_html, season_number, episode_number, episode_type, explicit)
  values (create_episode.podcast_id, create_episode.title, create_episode.slug, create_episode.summary,
    create_episode.description, create_episode.notes_html, create_episode.season_number, create_episode.episode_number,
    create_episode.episode_type, create_episode.explicit)
  returning * into made;
  return made;
end $$;
comment on function public.create_episode is
  'A new draft on a podcast. Needs admin+. Without a slug, one is made from the title. 400 bad field, 403, 404, 409 SLUG_TAKEN or podcast pending deletion.';
revoke all on function public.create_episode from public, anon, authenticated, service_role;
grant execute on function public.create_episode to authenticated;
-- ./30_episodes/51_publish_episode.sql
-- The episode's way through its statuses. Writing episodes.status does the same: the rules are the row's.
create function private.require_episode_role(episode_id uuid, role public.podcast_role) returns uuid
language plpgsql stable security definer  -- tells a missing episode from a forbidden one
set search_path = ''
as $$
declare
  podcast_id uuid;
begin
  if auth.uid() is null then
    raise sqlstate 'PT401' using message = 'Sign in first';
  end if;
  select e.podcast_id into podcast_id from public.episodes e where e.id = require_episode_role.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  perform private.require_role(podcast_id, require_episode_role.role);
  return podcast_id;
end $$;
comment on function private.require_episode_role is 'The episode''s podcast, when the caller has at least this role on it; PT401, PT404 or PT403 otherwise.';
revoke all on function private.require_episode_role from public, anon, authenticated, service_role;
grant execute on function private.require_episode_role to authenticated, service_role;

create function public.publish_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(publish_episode.episode_id, 'admin');
  update public.episodes e set status = 'published' where e.id = publish_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.publish_episode is
  'Publishes now; safe to repeat. Needs admin+. 403, 404, 409 podcast pending deletion, PT428 AUDIO_REQUIRED when a service-hosted episode has no audio.';
revoke all on function public.publish_episode from public, anon, authenticated, service_role;
grant execute on function public.publish_episode to authenticated;

create function public.schedule_episode(episode_id uuid, at timestamptz) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(schedule_episode.episode_id, 'admin');
  update public.episodes e set status = 'scheduled', scheduled_at = schedule_episode.at, published_at = null
  where e.id = schedule_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.schedule_episode is
  'Publishes at a time in the future, within a minute. Needs admin+. 400 time not in the future, 403, 404, 409, PT428 AUDIO_REQUIRED.';
revoke all on function public.schedule_episode from public, anon, authenticated, service_role;
grant execute on function public.schedule_episode to authenticated;

create function public.unpublish_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(unpublish_episode.episode_id, 'admin');
  update public.episodes e set status = 'draft' where e.id = unpublish_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.unpublish_episode is 'Back to draft, out of the feed; its date is kept for a later publication. Needs admin+. 403, 404, 409.';
revoke all on function public.unpublish_episode from public, anon, authenticated, service_role;
grant execute on function public.unpublish_episode to authenticated;

create function public.archive_episode(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  changed public.episodes;
begin
  perform private.require_episode_role(archive_episode.episode_id, 'admin');
  update public.episodes e set status = 'archived' where e.id = archive_episode.episode_id returning * into changed;
  return changed;
end $$;
comment on function public.archive_episode is 'Out of the feed, kept for the team. Needs admin+. 403, 404, 409.';
revoke all on function public.archive_episode from public, anon, authenticated, service_role;
grant execute on function public.archive_episode to authenticated;
-- ./30_episodes/52_publish_due_episodes.sql
-- Scheduled episodes whose time has come. A job of every few seconds; two at once do no harm.
create function private.publish_due_episodes(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  published int;
begin
  with due as (
    select e.id from public.episodes e
    join public.podcasts p on p.id = e.podcast_id
    where e.status = 'scheduled' and e.scheduled_at <= publish_due_episodes.at
      and p.status in ('active', 'paused')
      and (e.audio_url is not null or p.hosting_type = 'external')
    order by e.scheduled_at limit 500
    for update of e skip locked
  )
  update public.episodes e set status = 'published', published_at = e.scheduled_at
  from due where e.id = due.id;
  get diagnostics published = row_count;
  return published;
end $$;
comment on function private.publish_due_episodes is 'Publishes what is due, dated as scheduled; at most 500 a run. Returns how many.';
revoke all on function private.publish_due_episodes from public, anon, authenticated, service_role;
-- ./30_episodes/53_presign_audio_upload.sql
-- Audio formats and the two answers before any byte is stored: what may be uploaded, and where it would go.
create function private.audio_extension(content_type text) returns text
language sql immutable parallel safe set search_path = ''
as $$
  select case content_type
    when 'audio/mpeg' then 'mp3'
    when 'audio/mp4' then 'm4a' when 'audio/x-m4a' then 'm4a'
    when 'audio/wav' then 'wav' when 'audio/x-wav' then 'wav' end
$$;
comment on function private.audio_extension is 'The extension of an accepted audio MIME type (contract, Audio and image formats); null for others.';
revoke all on function private.audio_extension from public, anon, authenticated, service_role;
grant execute on function private.audio_extension to authenticated;

create function private.require_audio_target(podcast_id uuid, episode_id uuid, content_type text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if private.audio_extension(require_audio_target.content_type) is null then
    raise sqlstate 'PT400' using message = 'Invalid content type', hint = 'INVALID_CONTENT_TYPE',
      detail = 'Accepted: audio/mpeg, audio/mp4, audio/x-m4a, audio/wav, audio/x-wav';
  end if;
  perform private.require_role(require_audio_target.podcast_id, 'admin');
  perform from public.episodes e where e.id = require_audio_target.episode_id and e.podcast_id = require_audio_target.podcast_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found on this podcast';
  end if;
  perform private.require_open_podcast(require_audio_target.podcast_id);
end $$;
comment on function private.require_audio_target is 'Returns when the caller may upload this kind of audio for this episode; PT400, PT401, PT403, PT404 or PT409 otherwise.';
revoke all on function private.require_audio_target from public, anon, authenticated, service_role;
grant execute on function private.require_audio_target to authenticated;

create function private.require_upload_size(bytes bigint) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if bytes > private.setting('audio_upload_cap_bytes')::bigint then
    raise sqlstate 'PT413' using message = 'The audio is larger than the upload limit', hint = 'FILE_TOO_LARGE',
      detail = jsonb_build_object('maxBytes', private.setting('audio_upload_cap_bytes')::bigint)::text;
  end if;
end $$;
comment on function private.require_upload_size is 'PT413 over the interim cap, the setting audio_upload_cap_bytes.';
revoke all on function private.require_upload_size from public, anon, authenticated, service_role;
grant execute on function private.require_upload_size to authenticated;

create function public.presign_audio_upload(podcast_id uuid, episode_id uuid, content_type text, filename text, file_size bigint)
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  upload_id uuid := gen_random_uuid();
  path      text;
begin
  perform private.require_audio_target(presign_audio_upload.podcast_id, presign_audio_upload.episode_id, presign_audio_upload.content_type);
  if file_size > 524288000 then
    raise sqlstate 'PT400' using message = 'File too large', hint = 'FILE_TOO_LARGE',
      detail = '{"maxBytes": 524288000}';
  end if;
  perform private.require_upload_size(file_size);
  path := format('podcasts/%s/e/%s/audio/%s.%s', presign_audio_upload.podcast_id, presign_audio_upload.episode_id,
    upload_id, private.audio_extension(presign_audio_upload.content_type));
  return jsonb_build_object(
    'uploadId', upload_id,
    'uploadPath', path,
    'finalPath', path,
    'publicUrl', private.setting('media_url') || '/' || path,
    'maxSize', 524288000,
    'acceptedTypes', jsonb_build_array('audio/mpeg', 'audio/mp4', 'audio/x-m4a', 'audio/wav', 'audio/x-wav'),
    'uploadEndpoint', '/api/media/audio/upload/' || upload_id);
end $$;
comment on function public.presign_audio_upload is
  'POST /api/media/audio/presigned-url. The paths are advisory: the upload makes its own key. 400 content type or over 500 MB, 403, 404, 409, 413 over the cap.';
revoke all on function public.presign_audio_upload from public, anon, authenticated, service_role;
grant execute on function public.presign_audio_upload to authenticated;
-- ./30_episodes/54_begin_audio_upload.sql
-- First half of an upload, as the caller: may these bytes come, and under which key?
create function private.require_allowance(podcast_id uuid, freed bigint, wanted bigint) returns void
language plpgsql stable security definer  -- an admin may not read the owner's account
set search_path = ''
as $$
declare
  account record;
begin
  perform private.require_role(require_allowance.podcast_id, 'admin');
  select a.user_id, a.storage_bytes_used as used, private.allowed_bytes(a.user_id) as allowed into account
  from public.podcasts p join public.billing_accounts a on a.user_id = p.owner_id
  where p.id = require_allowance.podcast_id;
  if account.used - freed + wanted > account.allowed then
    raise sqlstate 'PT409' using
      message = 'This would exceed the storage allowance of the account', hint = 'ALLOWANCE_EXCEEDED',
      detail = jsonb_build_object('bytes_used', account.used, 'bytes_allowed', account.allowed, 'bytes_wanted', wanted)::text;
  end if;
end $$;
comment on function private.require_allowance is 'PT409 when the podcast''s account cannot take these bytes; admin+ only.';
revoke all on function private.require_allowance from public, anon, authenticated, service_role;
grant execute on function private.require_allowance to authenticated;  -- checks the role itself

create function public.begin_audio_upload(podcast_id uuid, episode_id uuid, content_type text, bytes bigint) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  episode record;
  path    text;
begin
  perform private.require_audio_target(begin_audio_upload.podcast_id, begin_audio_upload.episode_id, begin_audio_upload.content_type);
  perform private.require_upload_size(begin_audio_upload.bytes);
  if coalesce(begin_audio_upload.bytes, 0) <= 0 then
    raise sqlstate 'PT400' using message = 'The upload is empty', hint = 'EMPTY_BODY';
  end if;
  select e.audio_url, coalesce(e.audio_file_size_bytes, 0) as audio_bytes into episode
  from public.episodes e where e.id = begin_audio_upload.episode_id;
  perform private.require_allowance(begin_audio_upload.podcast_id, episode.audio_bytes, begin_audio_upload.bytes);
  path := format('podcasts/%s/e/%s/audio/%s.%s', begin_audio_upload.podcast_id, begin_audio_upload.episode_id,
    gen_random_uuid(), private.audio_extension(begin_audio_upload.content_type));
  return jsonb_build_object(
    'path', path,
    'publicUrl', private.setting('media_url') || '/' || path,
    'contentType', begin_audio_upload.content_type,
    'expectedAudioUrl', episode.audio_url);
end $$;
comment on function public.begin_audio_upload is
  'PUT /api/media/audio/upload, rules 1 to 3, with the bytes received (or announced). 400 content type or empty, 403, 404, 409 allowance, 413 over the cap.';
revoke all on function public.begin_audio_upload from public, anon, authenticated, service_role;
grant execute on function public.begin_audio_upload to authenticated;
-- ./30_episodes/55_finish_audio_upload.sql
-- Second half, by the server: the object is stored; it becomes the episode's audio, or nothing changes.
create function private.finish_audio_upload(
  actor uuid, podcast_id uuid, episode_id uuid, path text, bytes bigint, content_type text,
  duration_seconds int, expected_audio_url text
) returns jsonb
language plpgsql volatile security definer  -- writes the audio columns, the ledger and the queue
set search_path = ''
as $$
declare
  episode    public.episodes;
  account_id uuid;
  stored     bigint;
  url        text := private.setting('media_url') || '/' || finish_audio_upload.path;
begin
  perform private.require_open_podcast(finish_audio_upload.podcast_id);
  if not starts_with(finish_audio_upload.path,
       format('podcasts/%s/e/%s/audio/', finish_audio_upload.podcast_id, finish_audio_upload.episode_id)) then
    raise sqlstate 'PT500' using message = 'The object lies outside the episode';
  end if;
  select (o.metadata ->> 'size')::bigint into stored from storage.objects o
  where o.bucket_id = 'media' and o.name = finish_audio_upload.path;
  if stored is null or stored <> finish_audio_upload.bytes then
    raise sqlstate 'PT500' using message = 'The stored size does not match the bytes received', hint = 'SIZE_MISMATCH';
  end if;
  perform from public.podcast_members m
  where m.podcast_id = finish_audio_upload.podcast_id and m.user_id = finish_audio_upload.actor and m.role >= 'admin';
  if not found then
    raise sqlstate 'PT403' using message = 'This needs an admin or the owner of the podcast';
  end if;
  -- the account first, then the episode: always in this order, so that two uploads wait and do not deadlock
  select p.owner_id into account_id from public.podcasts p where p.id = finish_audio_upload.podcast_id;
  perform from public.billing_accounts a where a.user_id = account_id for update;
  select * into episode from public.episodes e
  where e.id = finish_audio_upload.episode_id and e.podcast_id = finish_audio_upload.podcast_id for update;
  if not found then
    raise sqlstate 'PT404' using message = 'The episode is gone';
  end if;
  if episode.audio_url is distinct from url then  -- equal: this very upload, finished before; safe to repeat
    if episode.audio_url is distinct from finish_audio_upload.expected_audio_url then
      raise sqlstate 'PT409' using message = 'The audio was replaced by another upload in the meantime', hint = 'CONCURRENT_REPLACEMENT';
    end if;
    perform private.release_media_object(m.path, episode.first_published_at is not null)
    from private.media_objects m
    where m.episode_id = episode.id and m.purpose = 'audio' and m.released_at is null;
    insert into private.media_objects (path, account_id, podcast_id, episode_id, purpose, bytes, content_type)
    values (finish_audio_upload.path, account_id, episode.podcast_id, episode.id, 'audio', stored, finish_audio_upload.content_type);
    update public.episodes e set
      audio_url = url, audio_file_size_bytes = stored, audio_content_type = finish_audio_upload.content_type,
      audio_duration_seconds = finish_audio_upload.duration_seconds
    where e.id = episode.id;  -- the feed hears of it by the episodes' own trigger
  end if;
  return jsonb_build_object('path', finish_audio_upload.path, 'publicUrl', url, 'fileSize', stored,
    'contentType', finish_audio_upload.content_type, 'durationSeconds', finish_audio_upload.duration_seconds);
end $$;
comment on function private.finish_audio_upload is
  'PUT /api/media/audio/upload, rules 4 to 7: measured size, optimistic guard, allowance under the account''s lock, disposal of the previous object. PT500 size mismatch, PT404 episode gone, PT409 allowance or concurrent replacement, PT403.';
revoke all on function private.finish_audio_upload from public, anon, authenticated, service_role;
grant execute on function private.finish_audio_upload to service_role;
-- ./30_episodes/56_remove_episode_audio.sql
-- Takes an episode's audio away: not from one that is published or about to be.
create function private.drop_episode_audio(episode_id uuid) returns public.episodes
language plpgsql volatile security definer  -- the audio columns, the ledger and the queue are the server's
set search_path = ''
as $$
declare
  episode public.episodes;
begin
  perform private.require_episode_role(drop_episode_audio.episode_id, 'admin');
  select * into episode from public.episodes e where e.id = drop_episode_audio.episode_id for update;
  if episode.status in ('published', 'scheduled') then
    raise sqlstate 'PT409' using
      message = format('The audio of a %s episode cannot be removed', episode.status), hint = 'AUDIO_IN_USE';
  end if;
  if episode.audio_url is null then
    return episode;
  end if;
  perform private.release_media_object(m.path, episode.first_published_at is not null)
  from private.media_objects m
  where m.episode_id = episode.id and m.purpose = 'audio' and m.released_at is null;
  update public.episodes e set
    audio_url = null, audio_file_size_bytes = null, audio_content_type = null, audio_duration_seconds = null
  where e.id = episode.id
  returning * into episode;
  return episode;
end $$;
revoke all on function private.drop_episode_audio from public, anon, authenticated, service_role;
grant execute on function private.drop_episode_audio to authenticated;  -- checks the role itself

create function public.remove_episode_audio(episode_id uuid) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.drop_episode_audio(remove_episode_audio.episode_id);
end $$;
comment on function public.remove_episode_audio is
  'Clears the audio columns; the object goes at once when the episode was never public, else with the sweep. Safe to repeat. Needs admin+. 403, 404, 409 AUDIO_IN_USE while published or scheduled.';
revoke all on function public.remove_episode_audio from public, anon, authenticated, service_role;
grant execute on function public.remove_episode_audio to authenticated;
-- ./30_episodes/57_sweep_storage.sql
-- The daily sweep: objects that no row refers to, and has not for the guard age, go to the collector.
create function private.sweep_storage(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  oldest timestamptz := at - make_interval(hours => private.setting('orphan_guard_hours')::int);
  paths  jsonb;
  swept  int := 0;
begin
  for paths in
    with orphans as (
      select o.name, row_number() over (order by o.name) as n
      from storage.objects o
      left join private.media_objects m on m.path = o.name
      where o.bucket_id = 'media'
        and case when m.path is null then o.created_at < oldest else m.released_at < oldest end
      limit 10000
    )
    select jsonb_agg(name) from orphans group by n / 100
  loop
    perform private.enqueue('storage_gc', jsonb_build_object('bucket', 'media', 'paths', paths));
    swept := swept + jsonb_array_length(paths);
  end loop;
  return swept;
end $$;
comment on function private.sweep_storage is
  'Queues orphans older than the setting orphan_guard_hours for deletion, at most 10,000 a run; the age counts from when an object was replaced.';
revoke all on function private.sweep_storage from public, anon, authenticated, service_role;
-- ./90_public/10_feed_items.sql
-- Feed items: each published episode's item, rendered when it changed and never again. A fragment is raw deflate that
-- ends in a full flush, so that fragments concatenate to a document without being unpacked.
create table private.feed_items (
  episode_id    uuid primary key,   -- no foreign key: rows change under their podcast's feed lock only (private.open_feed)
  podcast_id    uuid not null references public.podcasts on delete cascade,
  published_at  timestamptz not null,
  rendered_from timestamptz not null,   -- the episode's updated_at; another one makes the item dirty
  context       text not null,          -- hash of what the item takes from its podcast; another one makes it dirty
  deflated      bytea not null,
  crc32         bigint not null,        -- of the text, as are bytes and digest
  bytes         int not null,
  digest        bytea not null,
  constraint crc32_has_32_bits check (crc32 between 0 and 4294967295)
);
comment on table private.feed_items is 'The rendered, compressed items of each feed. Written by private.store_feed_items, removed by private.open_feed.';
alter table private.feed_items alter column deflated set storage external;  -- compressed already
create index feed_items_podcast_id_idx on private.feed_items (podcast_id, published_at desc, episode_id desc);
alter table private.feed_items enable row level security;
-- No policy, no grant.
-- ./90_public/11_feed_documents.sql
-- Feed documents: each native podcast's feed as it is served, one gzip member. The row changes only when the content does.
create table private.feed_documents (
  podcast_id    uuid primary key references public.podcasts on delete cascade,
  digest        bytea not null,         -- of the content without its date: decides whether anything changed
  etag          text not null,          -- of content and date, so of the bytes; without quotes
  last_modified timestamptz not null,   -- whole seconds, as HTTP and lastBuildDate have them
  bytes         bigint not null,        -- unpacked
  gzip          bytea not null,
  constraint last_modified_is_whole_seconds check (last_modified = date_trunc('second', last_modified))
);
comment on table private.feed_documents is 'The feed of each native podcast. Written by private.write_feed, read by /feeds/{slug}.xml.';
alter table private.feed_documents alter column gzip set storage external;  -- compressed already
alter table private.feed_documents enable row level security;
-- No policy, no grant.
-- ./90_public/20_public_podcasts.sql
-- What strangers may read: published fields of podcasts. anon has no table grants; these functions are its only way in.
create function private.iso(at timestamptz) returns text
language sql immutable parallel safe set search_path = ''
as $$ select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
comment on function private.iso is 'ISO 8601 in UTC with Z and milliseconds, as timestamps leave the API.';
revoke all on function private.iso from public, anon, authenticated, service_role;
grant execute on function private.iso to anon, authenticated, service_role;

create function private.public_podcast(slug text) returns jsonb
language plpgsql stable security definer  -- reads for strangers, published fields only
set search_path = ''
as $$
declare
  found_podcast public.podcasts;
begin
  select * into found_podcast from public.podcasts p where p.slug = public_podcast.slug and p.status <> 'deleted';
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  return (
    select jsonb_build_object(
      'id', found_podcast.id, 'slug', found_podcast.slug, 'title', found_podcast.title,
      'description', found_podcast.description, 'author', found_podcast.author, 'language', found_podcast.language,
      'explicit', found_podcast.explicit, 'link', found_podcast.link, 'coverImageUrl', found_podcast.cover_image_url,
      'feedUrl', case when found_podcast.hosting_type = 'native' then private.feed_url(found_podcast.slug) end,
      'podcastGuid', found_podcast.podcast_guid,
      'episodeCount', count(*), 'latestEpisodeAt', private.iso(max(e.published_at)))
    from public.episodes e where e.podcast_id = found_podcast.id and e.status = 'published');
end $$;
revoke all on function private.public_podcast from public, anon, authenticated, service_role;
grant execute on function private.public_podcast to anon, authenticated, service_role;

create function public.get_public_podcast(slug text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('data', private.public_podcast(get_public_podcast.slug));
end $$;
comment on function public.get_public_podcast is 'GET /v1/podcasts/{slug}: {data}. 404 when there is none.';
revoke all on function public.get_public_podcast from public, anon, authenticated, service_role;
grant execute on function public.get_public_podcast to anon, authenticated, service_role;
-- ./90_public/21_public_episodes.sql
-- What strangers may read: published episodes, newest first, by keyset cursor.
create function private.listen_url(podcast_slug text, episode_slug text default null) returns text
language sql stable security invoker set search_path = ''
as $$ select private.setting('listen_url') || '/' || podcast_slug || coalesce('/' || episode_slug, '') $$;
comment on function private.listen_url is 'The page where people listen to a podcast or one of its episodes.';
revoke all on function private.listen_url from public, anon, authenticated, service_role;
grant execute on function private.listen_url to anon, authenticated, service_role;

create function private.public_episode(episode public.episodes, podcast_slug text) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'id', episode.id, 'podcastSlug', podcast_slug, 'slug', episode.slug, 'guid', episode.guid, 'title', episode.title,
    'description', coalesce(nullif(episode.description, ''), episode.summary, ''),
    'seasonNumber', episode.season_number, 'episodeNumber', episode.episode_number, 'episodeType', episode.episode_type,
    'explicit', episode.explicit, 'publishedAt', private.iso(episode.published_at),
    'durationSeconds', episode.audio_duration_seconds, 'audioUrl', episode.audio_url,
    'audioContentType', episode.audio_content_type, 'audioFileSizeBytes', episode.audio_file_size_bytes,
    'coverImageUrl', episode.cover_image_url,
    'listenUrl', private.listen_url(podcast_slug, episode.slug),
    'embedUrl', private.setting('embed_url') || '/ep/' || episode.id)
$$;
comment on function private.public_episode is 'The published fields of an episode, as /v1 shows them.';
revoke all on function private.public_episode from public, anon, authenticated, service_role;

-- Cursors are opaque to clients: the place after the last row seen.
create function private.episode_cursor(published_at timestamptz, id uuid) returns text
language sql immutable parallel safe set search_path = ''
as $$
  select rtrim(translate(encode(convert_to(
    extract(epoch from published_at)::text || ' ' || id, 'UTF8'), 'base64'), E'+/\n', '-_'), '=')
$$;
revoke all on function private.episode_cursor from public, anon, authenticated, service_role;

create function private.public_episodes(slug text, most int, cursor text) returns jsonb
language plpgsql stable security definer  -- reads for strangers, published fields only
set search_path = ''
as $$
declare
  podcast record;
  decoded text;
  before  timestamptz := 'infinity';
  below   uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  page    public.episodes[];
begin
  if most is null or most not between 1 and 100 then
    raise sqlstate 'PT400' using message = 'limit must be between 1 and 100';
  end if;
  select p.id, p.slug into podcast from public.podcasts p where p.slug = public_episodes.slug and p.status <> 'deleted';
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  if cursor is not null then
    begin
      decoded := convert_from(decode(translate(cursor, '-_', '+/') || repeat('=', -length(cursor) & 3), 'base64'), 'UTF8');
      before := to_timestamp(0) + split_part(decoded, ' ', 1)::numeric * interval '1 second';
      below := split_part(decoded, ' ', 2)::uuid;
    exception when others then
      raise sqlstate 'PT400' using message = 'cursor is not one that this API gave out';
    end;
  end if;
  page := array(
    select e from public.episodes e
    where e.podcast_id = podcast.id and e.status = 'published' and (e.published_at, e.id) < (before, below)
    order by e.published_at desc, e.id desc
    limit most + 1);
  return jsonb_build_object(
    'data', coalesce((
      select jsonb_agg(private.public_episode(e, podcast.slug) order by e.published_at desc, e.id desc)
      from unnest(page[1:most]) e), '[]'),
    'pagination', jsonb_build_object(
      'nextCursor', case when cardinality(page) > most then private.episode_cursor(page[most].published_at, page[most].id) end,
      'hasMore', cardinality(page) > most));
end $$;
revoke all on function private.public_episodes from public, anon, authenticated, service_role;
grant execute on function private.public_episodes to anon, authenticated, service_role;

create function public.list_public_episodes(slug text, "limit" int default 25, cursor text default null) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.public_episodes(list_public_episodes.slug, list_public_episodes."limit", list_public_episodes.cursor);
end $$;
comment on function public.list_public_episodes is
  'GET /v1/podcasts/{slug}/episodes: {data, pagination: {nextCursor, hasMore}}, newest first; limit 1 to 100. 400 limit or cursor, 404.';
revoke all on function public.list_public_episodes from public, anon, authenticated, service_role;
grant execute on function public.list_public_episodes to anon, authenticated, service_role;
-- ./90_public/50_open_feed.sql
-- Begins a rendering: what the feed's head is made from, under the feed's lock, with the items of episodes that are no
-- longer published taken out.
--
-- The lock makes two renderings of one podcast follow each other. Whoever comes second reads after the first has
-- committed, so a document is never replaced by one made from older rows. The row lock keeps the podcast until then.
create function private.open_feed(podcast_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast public.podcasts;
begin
  perform pg_advisory_xact_lock(hashtextextended('feed/' || open_feed.podcast_id, 0));
  select * into podcast from public.podcasts p
  where p.id = open_feed.podcast_id and p.hosting_type = 'native' and p.status <> 'deleted'
  for key share;
  if not found then
    return null;
  end if;
  delete from private.feed_items i
  where i.podcast_id = open_feed.podcast_id
    and not exists (select from public.episodes e where e.id = i.episode_id and e.status = 'published');
  return to_jsonb(podcast) - 'owner_email' || jsonb_build_object(
    'shown_owner_email', case when podcast.show_owner_email then podcast.owner_email end,
    'feed_url', private.feed_url(podcast.slug),
    'listen_url', private.listen_url(podcast.slug));
end $$;
comment on function private.open_feed is 'Takes the feed''s lock and returns the podcast; null when it has no feed (external, deleted, gone).';
revoke all on function private.open_feed from public, anon, authenticated, service_role;
-- ./90_public/51_dirty_feed_items.sql
-- The episodes whose items must be rendered, newest first, as many as one batch may hold; `dirty` says how many there
-- are in all. Bounded by count and by the notes' size: 500 episodes of a megabyte each would not fit into a worker.
create function private.dirty_feed_items(podcast_id uuid, context text, most int default 500, most_bytes bigint default 8388608)
returns table (item jsonb, dirty bigint)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return query
    with stale as (
      select e.id,
             count(*) over () as dirty,
             row_number() over newest as n,
             sum(coalesce(octet_length(e.notes_html), 0)) over newest as notes_bytes
      from public.episodes e
      left join private.feed_items i on i.episode_id = e.id
      where e.podcast_id = dirty_feed_items.podcast_id and e.status = 'published'
        and (i.rendered_from is distinct from e.updated_at or i.context is distinct from dirty_feed_items.context)
      window newest as (order by e.published_at desc, e.id desc)
    )
    select to_jsonb(e), s.dirty
    from stale s join public.episodes e on e.id = s.id
    where s.n = 1 or (s.n <= most and s.notes_bytes <= most_bytes)
    order by s.n;
end $$;
comment on function private.dirty_feed_items is 'The next batch of episodes to render. Their times are text with microseconds: store them as they came.';
revoke all on function private.dirty_feed_items from public, anon, authenticated, service_role;
-- ./90_public/52_store_feed_items.sql
-- Stores a batch of rendered items: [{episode_id, published_at, rendered_from, deflated, crc32, bytes, digest}], the
-- binary ones as base64. Needs the feed's lock (private.open_feed).
create function private.store_feed_items(podcast_id uuid, context text, items jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into private.feed_items as i (episode_id, podcast_id, published_at, rendered_from, context, deflated, crc32, bytes, digest)
  select r.episode_id, store_feed_items.podcast_id, r.published_at, r.rendered_from, store_feed_items.context,
         decode(r.deflated, 'base64'), r.crc32, r.bytes, decode(r.digest, 'base64')
  from jsonb_to_recordset(items) r (episode_id uuid, published_at timestamptz, rendered_from timestamptz,
    deflated text, crc32 bigint, bytes int, digest text)
  on conflict on constraint feed_items_pkey do update set
    published_at = excluded.published_at, rendered_from = excluded.rendered_from, context = excluded.context,
    deflated = excluded.deflated, crc32 = excluded.crc32, bytes = excluded.bytes, digest = excluded.digest;
end $$;
comment on function private.store_feed_items is 'Puts rendered items in place of the ones before.';
revoke all on function private.store_feed_items from public, anon, authenticated, service_role;
-- ./90_public/53_measure_feed.sql
-- What the renderer must know of the stored items to put a document around them: their sums in feed order, a digest of
-- them all, the digest that the present document was made from, and the date a new one would bear. That date is never
-- one that a former document bore: who asks by If-Modified-Since alone must not miss the second change within a second.
create function private.measure_feed(podcast_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  document private.feed_documents;
begin
  select d.digest, d.last_modified into document.digest, document.last_modified
  from private.feed_documents d where d.podcast_id = measure_feed.podcast_id;
  return (
    select jsonb_build_object(
      'sums', coalesce(jsonb_agg(jsonb_build_array(i.crc32, i.bytes) order by i.published_at desc, i.episode_id desc), '[]'),
      'digest', encode(sha256(coalesce(string_agg(i.digest, '' order by i.published_at desc, i.episode_id desc), '')), 'hex'),
      'written', encode(document.digest, 'hex'),
      'date', greatest(date_trunc('second', clock_timestamp()), document.last_modified + interval '1 second'))
    from private.feed_items i where i.podcast_id = measure_feed.podcast_id);
end $$;
comment on function private.measure_feed is '{sums: [[crc32, bytes], …], digest, written, date} of a podcast''s stored items.';
revoke all on function private.measure_feed from public, anon, authenticated, service_role;
-- ./90_public/54_write_feed.sql
-- Writes a podcast's document: the head, the stored items in feed order, the tail. The items never leave the database.
-- Needs the feed's lock (private.open_feed), under which head and tail were made to fit these items.
create function private.write_feed(podcast_id uuid, digest bytea, etag text, last_modified timestamptz, bytes bigint, head bytea, tail bytea)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into private.feed_documents as d (podcast_id, digest, etag, last_modified, bytes, gzip)
  select write_feed.podcast_id, write_feed.digest, write_feed.etag, write_feed.last_modified, write_feed.bytes,
         head || coalesce(string_agg(i.deflated, '' order by i.published_at desc, i.episode_id desc), '') || tail
  from private.feed_items i where i.podcast_id = write_feed.podcast_id
  on conflict on constraint feed_documents_pkey do update set
    digest = excluded.digest, etag = excluded.etag, last_modified = excluded.last_modified,
    bytes = excluded.bytes, gzip = excluded.gzip;
end $$;
comment on function private.write_feed is 'Assembles and stores the document that /feeds/{slug}.xml serves.';
revoke all on function private.write_feed from public, anon, authenticated, service_role;
-- ./99_wiring/10_reference_rows.sql
-- Rows that belong to the schema. Installing again brings them up to date and keeps what operators set.
create function private.install_reference_rows() returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into public.plans as p (code, name, is_paid, storage_gb_per_account) values
    ('free', 'Free', false, 1),
    ('pro', 'Pro', true, 100)
  on conflict (code) do nothing;  -- an operator may have changed them

  insert into private.settings as s (key, otherwise, description) values
    ('public_url', null, 'Where the platform''s API is reached from outside, without a slash at the end'),
    ('base_url', '{public_url}/functions/v1', 'Base of the /api routes'),
    ('public_api_url', '{public_url}/functions/v1/public', 'Base of /v1 and of the feeds'),
    ('embed_url', '{public_url}/functions/v1/public', 'Base of the player and its iframe pages'),
    ('listen_url', '{public_api_url}/listen', 'Base of the listen pages'),
    ('media_url', '{public_url}/storage/v1/object/public/media', 'Base of public objects; a CDN may stand here'),
    ('worker_url', '{public_url}/functions/v1/worker', 'Where the database wakes the worker'),
    ('audio_upload_cap_bytes', '5242880', 'The interim cap of an audio upload through a function'),
    ('orphan_guard_hours', '168', 'How long an unreferenced object is kept, so that cached addresses still answer'),
    ('unconfirmed_user_days', '7', 'After how many days an unconfirmed, uninvited sign-up is deleted')
  on conflict (key) do update set otherwise = excluded.otherwise, description = excluded.description
    where (s.otherwise, s.description) is distinct from (excluded.otherwise, excluded.description);

  insert into private.queues as q (name, max_attempts, backoff_base, backoff_cap, purpose) values
    ('feed_invalidation', 8, interval '2 seconds', interval '5 minutes', 'Renders a podcast''s feed document again'),
    ('storage_gc', 10, interval '5 seconds', interval '1 hour', 'Deletes stored objects that nothing refers to')
  on conflict (name) do update set max_attempts = excluded.max_attempts, backoff_base = excluded.backoff_base,
    backoff_cap = excluded.backoff_cap, purpose = excluded.purpose
    where (q.max_attempts, q.backoff_base, q.backoff_cap, q.purpose)
      is distinct from (excluded.max_attempts, excluded.backoff_base, excluded.backoff_cap, excluded.purpose);

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

  delete from private.verbs;
  insert into private.verbs (name, arg_names, arg_types)
  select p.proname, coalesce(p.proargnames[1 : p.pronargs], '{}'), (p.proargtypes::oid[]::regtype[])[0 : p.pronargs - 1]  -- counted from 0 in the catalog, from 1 here
  from pg_catalog.pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
    and not exists (select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e');
end $$;
revoke all on function private.install_reference_rows from public, anon, authenticated, service_role;
-- ./99_wiring/20_platform_objects.sql
-- What a schema diff does not carry: queues, cron jobs, the bucket, the trigger on auth.users, the realtime
-- publication and the default privileges.
create function private.install_platform_objects() returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  queue text;
  jobs  constant text[][] := array[
    ['publish_due_episodes', '15 seconds', 'select private.publish_due_episodes()'],
    ['wake_worker_if_due', '5 seconds', 'select private.wake_worker_if_due()'],
    ['sweep_storage', '17 3 * * *', 'select private.sweep_storage()'],
    ['reap_unconfirmed_users', '43 3 * * *', 'select private.reap_unconfirmed_users()'],
    ['forget_cron_runs', '7 4 * * *', 'delete from cron.job_run_details where end_time < now() - interval ''3 days''']
  ];
  job   text[];
begin
  for queue in select n from private.queues q, unnest(array[q.name, q.name || '_dead']) n loop
    perform pgmq.create(queue) where not exists (select from pgmq.meta m where m.queue_name = queue);
  end loop;

  foreach job slice 1 in array jobs loop
    perform cron.schedule(job[1], job[2], job[3])
    where not exists (select from cron.job j where (j.jobname, j.schedule, j.command, j.active) = (job[1], job[2], job[3], true));
  end loop;

  insert into storage.buckets as b (id, name, public, file_size_limit) values ('media', 'media', true, 524288000)
  on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit
    where (b.public, b.file_size_limit) is distinct from (excluded.public, excluded.file_size_limit);

  create or replace trigger t900_provision_confirmed after insert on auth.users
    for each row when (new.email_confirmed_at is not null) execute function private.provision_user();
  create or replace trigger t900_provision_confirmation after update of email_confirmed_at on auth.users
    for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null) execute function private.provision_user();

  if not exists (select from pg_catalog.pg_publication_tables where pubname = 'supabase_realtime' and schemaname = 'public' and tablename = 'podcasts') then
    alter publication supabase_realtime add table public.podcasts;
  end if;
  if not exists (select from pg_catalog.pg_publication_tables where pubname = 'supabase_realtime' and schemaname = 'public' and tablename = 'episodes') then
    alter publication supabase_realtime add table public.episodes;
  end if;

  alter default privileges for role postgres revoke execute on functions from public;
  alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;
end $$;
revoke all on function private.install_platform_objects from public, anon, authenticated, service_role;

-- Ends every migration. Safe to repeat.
create function private.install() returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform private.install_reference_rows();
  perform private.install_platform_objects();
end $$;
comment on function private.install is 'Writes what belongs to the schema and is no schema: reference rows, queues, cron jobs, the bucket, triggers on auth.users, the publication. Every migration ends with it.';
revoke all on function private.install from public, anon, authenticated, service_role;

select private.install();
