-- A guest's access token: what it opens, until when, and who sees what it is known by.
select tests.episode('pilot', 'show'), tests.member('ana', 'show', 'admin');
insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('show'), ' Gina ', ' Gina@Guests.example ');
insert into public.episode_guests (episode_id, podcast_guest_id) select tests.id('pilot'), id from public.podcast_guests;
insert into private.guest_invitations (episode_guest_id, token_hash, expires_at)
select id, sha256('token-of-gina'), now() + interval '90 days' from public.episode_guests;

select is((private.guest_by_token('token-of-gina')).status::text, 'invited', 'a token finds its guest');
