-- Each text column of a public table is one line, which its t100 trigger folds; text, which is kept; a word, which a
-- check, a key or the server keeps free of line breaks; or a verbatim copy of a feed's text, or another
-- column. Add a new column to this list.
begin;
select tests.start();

create temp table decided (name text primary key, kind text not null);
insert into decided select unnest(string_to_array(names, ' ')), kind from (values
  ('line',
    'profiles.display_name podcasts.title podcasts.author podcasts.owner_name podcasts.copyright '
    'podcasts.apple_verify_token podcasts.license episodes.title episodes.itunes_title episodes.subtitle '
    'episodes.season_name episodes.episode_display episodes.license podcast_guests.display_name podcast_credits.name '
    'episode_credits.name episode_people.name episode_people.role_label push_subscriptions.device_label '
    'booking_links.name bookings.name bookings.guest_name automation_templates.name automation_templates.subject '
    'automation_rules.name episode_chapters.title'),
  ('text',
    'podcasts.description podcasts.ai_disclosure episodes.summary episodes.description episodes.show_notes_html '
    'episodes.show_notes_safe_html podcast_guest_notes.notes podcast_guest_notes.bio episode_messages.body '
    'podcast_import_item_texts.description podcast_import_item_texts.content podcast_import_item_texts.summary '
    'podcast_import_item_texts.subtitle '
    'booking_links.description bookings.notes bookings.status_message automation_templates.description '
    'automation_templates.body_html automation_templates.body_text automation_rules.description'),
  ('copy',
    'episodes.guid podcast_import_items.guid podcast_import_items.title podcast_import_items.error_message '
    'podcast_imports.error_code podcast_imports.error_message podcast_invitations.podcast_title '
    'podcast_invitations.inviter_name podcast_invitations.email episode_messages.sender_name '
    'notifications.title notifications.body push_subscriptions.user_agent calendar_connections.account_name '
    'calendar_connections.last_error connected_calendars.external_id connected_calendars.name '
    'connected_calendars.last_error connected_calendars.events_error automation_executions.rule_name '
    'automation_executions.error_message automation_executions.outcome_reason'),
  ('word',
    'booking_links.slug booking_links.timezone '
    'billing_accounts.plan_code billing_accounts.subscription_status episode_credits.avatar_url '
    'episode_credits.external_url episode_people.avatar_url episode_people.external_url episodes.audio_content_type '
    'episode_transcripts.type episode_transcripts.language episode_transcripts.rel episode_transcripts.url '
    'episode_chapters.url episode_chapters.image_url '
    'episodes.audio_url episodes.link episodes.chapters_url episodes.cover_image_url episodes.slug '
    'plan_prices.stripe_price_id plan_prices.plan_code plan_prices.currency plans.code plans.name '
    'podcast_categories.category podcast_categories.subcategory podcast_guests.email '
    'podcast_import_items.error_code podcast_imports.feed_url podcast_imports.locked_owner_email '
    'podcast_imports.verification_token podcasts.banner_image_url podcasts.cover_image_url '
    'podcasts.deletion_redirect_url podcasts.feed_redirect_url podcasts.license_url episodes.license_url '
    'podcast_credits.avatar_url '
    'podcast_credits.external_url podcasts.header_image_url podcasts.language podcasts.link podcasts.medium '
    'podcasts.owner_email podcasts.profile_image_url podcasts.slug profiles.avatar_url '
    'profiles.locale profiles.timezone notification_types.type notification_types.preference '
    'notification_types.subject '
    'notifications.type '
    'notifications.link notifications.group_key notification_deliveries.type notification_deliveries.group_key '
    'notification_deliveries.collapse_key notification_deliveries.request_id push_subscriptions.endpoint '
    'bookings.calendar_uid bookings.calendar_organizer '
    'bookings.guest_email bookings.guest_timezone bookings.guest_locale bookings.cancelled_by automation_tags.tag '
    'automation_tags.example automation_rules.pause_reason automation_rules.condition_mode '
    'automation_rules.reply_to automation_addresses.email automation_addresses.status '
    'automation_actions.disabled_reason automation_executions.occurrence_key automation_executions.outcome '
    'automation_executions.guest_email')) v (kind, names);
create temp view text_columns as
  select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    and a.atttypid = 'text'::regtype;
select is_empty('select name from text_columns except select name from decided',
  'every text column of a public table is listed with its kind');
delete from decided d where not exists (select from text_columns t where t.name = d.name);

-- One row of each table
select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.guest('gus', 'pilot', 'active'),
  tests.booking_link('talk', 'show');
insert into push_subscriptions (user_id, endpoint) values (tests.id('ola'), 'https://push.example/ola');
insert into podcast_credits (podcast_id, name, role_label, display_order) values (tests.id('show'), 'Ana', 'Host', 0);
select tests.open_link('link', 'show'), tests.request_booking('booking', 'link', 1);
select tests.template('welcome', 'show'), tests.rule('reminder', 'show', 'booking.confirmed');
insert into episode_chapters (episode_id, start_seconds, title) values (tests.id('pilot'), 0, 'Intro');
insert into podcast_guest_notes (guest_id, notes, bio) select id, 'n', 'b' from podcast_guests;

create function pg_temp.kept(name text, value text) returns text language plpgsql as $$
declare kept text;
begin
  execute format('update public.%1$I set %2$I = $1 where ctid = (select ctid from public.%1$I limit 1) returning %2$I',
    split_part(name, '.', 1), split_part(name, '.', 2)) into kept using value;
  return kept;
end $$;
select is(pg_temp.kept(name, E' \u00a0 One\r\nline \u2028\t of\u00a0text\u3000here\n'),
  E'One line of\u00a0text\u3000here', format('%s is normalized to one line', name))
from decided where kind = 'line';
select is(pg_temp.kept(name, E'  One\r\n\n  two\t'), E'  One\r\n\n  two\t', format('%s keeps its line breaks', name))
from decided where kind = 'text' and name not in ('episode_messages.body', 'episodes.show_notes_safe_html')
  and name not like 'podcast_import_item_texts.%';

-- normalize_line
select is(private.normalize_line(input), expected, format('normalize_line(%s)', to_json(input))) from (values
  ('One two', 'One two'), ('', ''), (' ', ''), (E'\r\n', ''), (E'\u00a0', ''), (E'a\u00a0b', E'a\u00a0b'),
    (E'a \u00a0 b', E'a \u00a0 b'), (E'\u00a0a\u00a0', 'a'),
  (E'a\rb\nc\r\nd\te\vf\fg', 'a b c d e f g'), (E'a\u0085b\u2028c\u2029d', 'a b c d'), (E'a\u3000b\u2003c',
    E'a\u3000b\u2003c'), ('a  b   c', 'a b c'), ('😀  夜', '😀 夜'), (null, null)) v (input, expected);

-- Texts inside jsonb, and other ways to write a line
update podcasts set funding = E'[{"url": "https://a.test", "text": " Buy\\r\\n me\\ta\u00a0coffee "}]'
  where id = tests.id('show');
select is((select funding from podcasts where id = tests.id('show')),
  E'[{"url": "https://a.test", "text": "Buy me a\u00a0coffee"}]',
    'the text of a funding link is normalized to one line');
update podcasts set verify_texts = E'[{"text": " s6lpp\\r\\n 7zcn8\\t", "purpose": "\\nver\\r\\nify "},
  {"text": "a\u00a0b", "purpose": null}, {"text": "c"}]' where id = tests.id('show');
select is((select verify_texts from podcasts where id = tests.id('show')),
  E'[{"text": "s6lpp 7zcn8", "purpose": "ver ify"}, {"text": "a\u00a0b"}, {"text": "c"}]',
  'the text and the purpose of a verify text are normalized to one line');
insert into auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data)
values (gen_random_uuid(), 'authenticated', 'authenticated', 'lin@test.example', now(),
  jsonb_build_object('display_name', E'Lin\r\n Two' || repeat(' ', 300)));
select is((select p.display_name from profiles p join auth.users u using (id) where u.email = 'lin@test.example'),
  'Lin Two', 'the name that a sign-up sends is normalized to one line');
select tests.act_as('ola');
insert into podcasts (title) values (E'Night\r\n  Trains');
select is((select slug from podcasts where title = 'Night Trains'), 'night-trains',
  'a client''s insert of a podcast is normalized to one line');
select is(
  public.add_episode_person(tests.id('pilot'), 'external', E'Zoe\n Vogel', role_label => 'Editor') #>> '{data,name}',
  'Zoe Vogel', 'add_episode_person normalizes a name to one line');
select is((select title from create_episode(tests.id('show'), E'Paris \t Wien\u00a03')), E'Paris Wien\u00a03',
  'create_episode normalizes a title to one line and keeps a no-break space');

select * from tests.finish();
rollback;
