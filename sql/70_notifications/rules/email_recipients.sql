-- To whom a delivery's email goes.
create function private.email_recipient(delivery_id uuid, out email text, out locale text)
language sql stable security invoker set search_path = ''
as $$
  select coalesce(u.email, g.email, a.email), coalesce(p.locale, gp.locale, podcast.language, a.locale)
  from public.notification_deliveries d
  left join public.profiles p on p.id = d.user_id
  left join auth.users u on u.id = d.user_id
  left join public.episode_guests eg on eg.id = d.episode_guest_id
  left join public.podcast_guests g on g.id = eg.podcast_guest_id
  left join public.profiles gp on gp.id = g.user_id
  left join public.podcasts podcast on podcast.id = g.podcast_id
  left join private.delivery_addresses a on a.delivery_id = d.id
  where d.id = $1
$$;
comment on function private.email_recipient is
  'The address of a delivery''s recipient, and the locale: of the user, of the guest''s account or else podcast, or of '
  'the address.';
