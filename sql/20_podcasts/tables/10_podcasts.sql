-- Podcasts, with the contents of their feed's channel.
create type public.podcast_status as enum ('active', 'paused', 'pending_deletion');  -- deleted: there is no row
create type public.hosting_type as enum ('native', 'external');
create type public.podcast_type as enum ('episodic', 'serial');

create table public.podcasts (
  id                    uuid primary key default gen_random_uuid(),
  owner_id              uuid not null default auth.uid() references public.profiles on delete restrict,
  slug                  text not null unique default nullif('', ''), -- null: a trigger derives it from the title
  title                 text not null,
  description           text not null default '',
  language              text not null default 'en',                  -- BCP 47
  author                text,
  owner_name            text,
  owner_email           text,
  show_owner_email      boolean not null default false,              -- opt-in: the feed names no address by default
  categories            jsonb not null default '[]',                 -- [{category, subcategory?}], Apple's list
  explicit              boolean not null default false,
  type                  public.podcast_type not null default 'episodic',
  copyright             text,
  link                  text,
  medium                text not null default 'podcast',
  is_complete           boolean not null default false,
  is_blocked            boolean not null default false,              -- itunes:block and podcast:block
  podcast_guid          uuid not null default nullif('', '')::uuid,  -- a trigger sets it
  locked                boolean not null default true,
  apple_verify_token    text,
  ai_disclosure         text,
  license               text,                                        -- an SPDX identifier, or a name with license_url
  license_url           text,
  -- Feed values: private.feed_shapes() defines and limits each
  funding               jsonb not null default '[]',                 -- [{url, text}]
  verify_texts          jsonb not null default '[]',                 -- [{text, purpose?}]
  locations             jsonb not null default '[]',                 -- [{name, rel?, geo?, osm?, country?}]
  update_frequency      jsonb,                                       -- {text, complete?, dtstart?, rrule?}
  podroll               jsonb not null default '[]',                 -- remote items: recommended podcasts
  remote_items          jsonb not null default '[]',                 -- [{feed_guid, feed_url?, item_guid?, …}]
  publisher             jsonb,                                       -- {feed_guid, feed_url?}
  directory_blocks      jsonb not null default '[]',                 -- [{id, is_blocked}]: exceptions to is_blocked
  directory_links       jsonb not null default '[]',                 -- [{directory, url}]: its pages there
  images                jsonb not null default '[]',                 -- [{href, alt?, purpose?, …}]: beside the cover
  social_interactions   jsonb not null default '[]',                 -- [{protocol, uri?, account_id?, …}]
  value_blocks          jsonb not null default '[]',                 -- [{type, method, recipients, …}]: as given
  keywords              jsonb not null default '[]',                 -- [text]
  tags                  jsonb not null default '[]',                 -- [{text, domain?}]: RSS categories
  extra_tags            jsonb not null default '[]',                 -- [XML element]: of an imported feed
  feed_page_size        int,                                         -- episodes per page; null: the feed has one page
  hosting_type          public.hosting_type not null default 'native',
  status                public.podcast_status not null default 'active',
  paused_at             timestamptz,                                 -- kept while a paused podcast is pending deletion
  pause_expires_at      timestamptz,
  last_pause_ended_at   timestamptz,
  deletion_requested_at timestamptz,
  deletion_redirect_url text,
  deletion_scheduled_at timestamptz,
  feed_redirect_url     text,                                        -- where the feed leads while the podcast stays
  is_being_deleted      boolean not null generated always as (      -- no caller sees it; its rows go next
    hosting_type = 'external' and status = 'pending_deletion') stored,
  cover_image_url       text,
  header_image_url      text,
  banner_image_url      text,
  profile_image_url     text,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  constraint pause_has_start_and_end check (num_nulls(paused_at, pause_expires_at) in (0, 2)),
  constraint pause_is_at_most_90_days check (
    pause_expires_at > paused_at and pause_expires_at - paused_at <= interval '90 days'),
  constraint paused_has_pause check (status <> 'paused' or paused_at is not null),
  constraint active_has_no_pause check (status <> 'active' or paused_at is null),
  constraint only_pending_deletion_has_schedule check (
    num_nulls(deletion_requested_at, deletion_scheduled_at) = case status when 'pending_deletion' then 0 else 2 end),
  constraint deletion_window_is_0_to_90_days check (
    deletion_scheduled_at - deletion_requested_at between interval '0' and interval '90 days'),
  constraint deletion_redirect_has_window check (
    deletion_redirect_url is null or coalesce(deletion_scheduled_at > deletion_requested_at, false)),
  constraint deletion_redirect_url_is_parsable check (private.is_parsable_http_url(deletion_redirect_url)),
  constraint feed_redirect_url_is_parsable check (private.is_parsable_http_url(feed_redirect_url)),
  constraint external_has_no_redirect check (
    hosting_type = 'native' or num_nonnulls(feed_redirect_url, deletion_redirect_url) = 0),
  constraint external_is_deleted_at_once check (
    hosting_type = 'native' or status <> 'pending_deletion' or deletion_scheduled_at = deletion_requested_at),
  constraint title_is_1_to_255_chars check (char_length(title) <= 255 and not private.is_blank(title)),
  constraint slug_is_1_to_100_chars check (char_length(slug) between 1 and 100),
  constraint slug_is_url_safe check (slug !~ '[/?#%\s]'),
  constraint description_is_at_most_10000_chars check (char_length(description) <= 10000),
  constraint language_is_bcp47 check (private.is_language_tag(language)),
  constraint names_are_at_most_255_chars check (
    char_length(author) <= 255 and char_length(owner_name) <= 255 and char_length(copyright) <= 255),
  constraint owner_email_is_valid check (owner_email ~ '^[^@\s]+@[^@\s]+$' and char_length(owner_email) <= 254),
  constraint link_is_http_url check (private.is_http_url(link)),
  constraint image_urls_are_http_urls check (
    (cover_image_url is null or private.is_http_url(cover_image_url))
    and (header_image_url is null or private.is_http_url(header_image_url))
    and (banner_image_url is null or private.is_http_url(banner_image_url))
    and (profile_image_url is null or private.is_http_url(profile_image_url))),
  -- https://github.com/Podcastindex-org/podcast-namespace, medium; a trailing L means a list of that medium
  constraint medium_is_known check (
    medium ~ '^((podcast|music|video|film|audiobook|newsletter|blog|publisher|course)L?|mixed)$'),
  constraint apple_verify_token_is_at_most_1000_chars check (char_length(apple_verify_token) <= 1000),
  constraint ai_disclosure_is_at_most_4000_chars check (char_length(ai_disclosure) <= 4000),
  constraint license_is_1_to_128_chars check (char_length(license) <= 128 and not private.is_blank(license)),
  constraint license_url_has_license check (
    license_url is null or license is not null and private.is_http_url(license_url)),
  constraint categories_have_known_fields check (private.is_list_of_texts(categories, '{category,subcategory}')),
  constraint categories_are_size_limited check (octet_length(categories::text) <= 1000),
  constraint feed_page_size_is_50_to_1000 check (feed_page_size between 50 and 1000),
  constraint lists_are_arrays check ('array' = all (array[jsonb_typeof(categories), jsonb_typeof(funding),
    jsonb_typeof(verify_texts), jsonb_typeof(locations), jsonb_typeof(podroll), jsonb_typeof(remote_items),
    jsonb_typeof(directory_blocks), jsonb_typeof(directory_links), jsonb_typeof(images),
    jsonb_typeof(social_interactions), jsonb_typeof(value_blocks), jsonb_typeof(keywords), jsonb_typeof(tags),
    jsonb_typeof(extra_tags)])),
  constraint update_frequency_and_publisher_are_objects check (
    jsonb_typeof(update_frequency) = 'object' and jsonb_typeof(publisher) = 'object')
);
comment on table public.podcasts is
  'Podcasts. Members read them, admins edit them; create_podcast or an insert creates them.';
comment on constraint active_has_no_pause on public.podcasts is 'An active podcast must have no pause';
comment on constraint ai_disclosure_is_at_most_4000_chars on public.podcasts is
  'The ai disclosure must have at most 4,000 characters';
comment on constraint apple_verify_token_is_at_most_1000_chars on public.podcasts is
  'The apple verify token must have at most 1,000 characters';
comment on constraint categories_are_size_limited on public.podcasts is 'The categories must have at most 1,000 bytes';
comment on constraint categories_have_known_fields on public.podcasts is
  'Each category must have a category and may have a subcategory';
comment on constraint deletion_redirect_has_window on public.podcasts is
  'A redirect must begin before the deletion of the podcast';
comment on constraint deletion_redirect_url_is_parsable on public.podcasts is
  'The redirect URL must be an http or https URL with a valid host';
comment on constraint deletion_window_is_0_to_90_days on public.podcasts is 'The deletion window must be 0 to 90 days';
comment on constraint description_is_at_most_10000_chars on public.podcasts is
  'The description must have at most 10,000 characters';
comment on constraint external_has_no_redirect on public.podcasts is
  'An external podcast has no feed here that could redirect';
comment on constraint external_is_deleted_at_once on public.podcasts is 'An external podcast is deleted at once';
comment on constraint feed_page_size_is_50_to_1000 on public.podcasts is
  'A page of the feed must have 50 to 1,000 episodes';
comment on constraint feed_redirect_url_is_parsable on public.podcasts is
  'The redirect URL must be an http or https URL with a valid host';
comment on constraint image_urls_are_http_urls on public.podcasts is 'The URLs of images must be http or https URLs';
comment on constraint language_is_bcp47 on public.podcasts is 'The language must be a BCP 47 tag, such as en or de-AT';
comment on constraint license_is_1_to_128_chars on public.podcasts is 'The license must have 1 to 128 characters';
comment on constraint license_url_has_license on public.podcasts is
  'The license URL must be an http or https URL, beside a license';
comment on constraint link_is_http_url on public.podcasts is 'The link must be an http or https URL';
comment on constraint lists_are_arrays on public.podcasts is 'Lists must be arrays';
comment on constraint medium_is_known on public.podcasts is
  'The medium must be one of Podcasting 2.0, such as podcast or music';
comment on constraint names_are_at_most_255_chars on public.podcasts is 'The names must have at most 255 characters';
comment on constraint only_pending_deletion_has_schedule on public.podcasts is
  'Only a podcast that is pending deletion has the times of its deletion';
comment on constraint owner_email_is_valid on public.podcasts is 'The owner email must be a valid email address';
comment on constraint pause_has_start_and_end on public.podcasts is 'A pause must have a start and an end';
comment on constraint pause_is_at_most_90_days on public.podcasts is 'A pause must last at most 90 days';
comment on constraint paused_has_pause on public.podcasts is 'A paused podcast must have a pause';
comment on constraint slug_is_1_to_100_chars on public.podcasts is 'The slug must have 1 to 100 characters';
comment on constraint slug_is_url_safe on public.podcasts is 'The slug must have no white space, "/", "?", "#" or "%"';
comment on constraint title_is_1_to_255_chars on public.podcasts is 'The title must have 1 to 255 characters';
comment on constraint update_frequency_and_publisher_are_objects on public.podcasts is
  'The update frequency and the publisher must be objects';
comment on constraint podcasts_slug_key on public.podcasts is 'Another podcast has this slug';
create index podcasts_owner_id_idx on public.podcasts (owner_id);
create index podcasts_created_at_idx on public.podcasts (created_at, id);  -- the order of sitemaps
create index podcasts_pause_expires_at_idx on public.podcasts (pause_expires_at) where status = 'paused';
create index podcasts_is_being_deleted_idx on public.podcasts (id) where is_being_deleted;  -- nearly always empty
create index podcasts_deletion_scheduled_at_idx on public.podcasts (deletion_scheduled_at)
  where status = 'pending_deletion';

-- Slugs are never reused, not even after a deletion, so that an old feed URL cannot serve another podcast.
create table private.podcast_slugs (
  slug       text collate "C" primary key,   -- makes a prefix a range of the index
  podcast_id uuid not null
);
comment on table private.podcast_slugs is 'All slugs that any podcast has ever had.';
alter table private.podcast_slugs enable row level security;
-- No policy, no grant.

-- Apple's categories, written by private.install(): https://podcasters.apple.com/support/1691-apple-podcasts-categories
create table public.podcast_categories (
  category    text not null,
  subcategory text not null default '',   -- '' means the category itself
  primary key (category, subcategory)
);
comment on table public.podcast_categories is 'The categories and subcategories of podcast directories.';
alter table public.podcast_categories enable row level security;
create policy anyone_reads on public.podcast_categories for select to anon, authenticated using (true);
grant select on public.podcast_categories to anon, authenticated, service_role;
