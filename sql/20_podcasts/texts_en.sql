-- English texts.
create function private.texts_en_of_podcasts() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('podcast.member_invited.title', 'Join the team of {podcast}'),
    ('podcast.member_invited.body', '{actor} has invited you. Accept the invitation to join, or decline it.'),
    ('podcast.member_invited.action', 'View invitation'),
    ('podcast.member_invited.address.title', 'Join the team of {podcast}'),
    ('podcast.member_invited.address.body',
      E'{actor} has invited you to join the team of the podcast “{podcast}” on Castbase. {role_can}\n\nTo accept, '
      'sign in with this email address, {email}, or sign up with it if you''re new. The invitation is valid '
      'until {expires_date}.\n\nDon''t want to join? Sign in to decline, and to block further invitations to '
      'this podcast, or just ignore this email: you join the team only if you accept.'),
    ('podcast.member_invited.address.action', 'View invitation'),
    ('podcast.transfer_offered.title', 'Become the owner of {podcast}'),
    ('podcast.transfer_offered.body',
      '{actor} would like to transfer the podcast to you. Accept or decline the offer.'),
    ('podcast.transfer_offered.action', 'View offer'),
    ('podcast.transfer_accepted.title', '{podcast} has a new owner'),
    ('podcast.transfer_accepted.body',
      '{actor} accepted your offer and now owns the podcast. You''re an admin of it.'),
    ('podcast.transfer_accepted.action', 'View podcast'),

    -- what the emails of a type are about, after a colon
    ('podcast.member_invited.label', 'invitations to teams'),
    ('podcast.transfer_offered.label', 'offers to transfer a podcast'),
    ('podcast.transfer_accepted.label', 'accepted transfers of podcasts'),

    ('team_role.member_can',
      'As a member you can see the podcast, its guests, and its episodes before they are published.'),
    ('team_role.admin_can',
      'As an admin you can edit the podcast, publish episodes, upload audio and manage the team.')
$$;
comment on function private.texts_en_of_podcasts is 'The English texts of this domain.';
