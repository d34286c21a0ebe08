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
    ('podcast.owner_email_needed.title', 'Add your email address to {podcast}'),
    ('podcast.owner_email_needed.body',
      'The podcast is yours now, and names the previous owner''s address no longer. Directories and other hosts send '
      'codes to the owner''s address to check who owns a podcast. Please enter yours in the settings of the podcast.'),
    ('podcast.owner_email_needed.action', 'View podcast'),
    ('podcast.transfer_declined.title', '{podcast} stays yours'),
    ('podcast.transfer_declined.body', '{actor} declined your offer to take over the podcast.'),
    ('podcast.transfer_declined.action', 'View podcast'),
    ('podcast.invitation_declined.title', 'Invitation to {podcast} declined'),
    ('podcast.invitation_declined.body', '{email} declined your invitation to join the team.'),
    ('podcast.invitation_declined.action', 'View podcast'),
    ('podcast.member_joined.title', '{actor} joined the team of {podcast}'),
    ('podcast.member_joined.body', 'They accepted an invitation.'),
    ('podcast.member_joined.action', 'View podcast'),
    ('podcast.member_left.title', '{actor} left the team of {podcast}'),
    ('podcast.member_left.body', 'The podcast and its episodes stay as they are.'),
    ('podcast.member_left.action', 'View podcast'),
    ('podcast.member_removed.title', '{member} was removed from the team of {podcast}'),
    ('podcast.member_removed.body', '{actor} removed {member} from the team.'),
    ('podcast.member_removed.you.title', 'You''re no longer on the team of {podcast}'),
    ('podcast.member_removed.you.body', '{actor} removed you from the team.'),
    ('podcast.member_removed.action', 'Open Castbase'),
    ('podcast.member_role_changed.title', '{member} has a new role on {podcast}'),
    ('podcast.member_role_changed.body', '{actor} changed the role.'),
    ('podcast.member_role_changed.admin.title', '{member} is now an admin of {podcast}'),
    ('podcast.member_role_changed.admin.body', '{actor} changed the role.'),
    ('podcast.member_role_changed.member.title', '{member} is no longer an admin of {podcast}'),
    ('podcast.member_role_changed.member.body', '{actor} changed the role, and {member} stays on the team.'),
    ('podcast.member_role_changed.you_admin.title', 'You''re now an admin of {podcast}'),
    ('podcast.member_role_changed.you_admin.body', '{actor} changed your role.'),
    ('podcast.member_role_changed.you_member.title', 'You''re no longer an admin of {podcast}'),
    ('podcast.member_role_changed.you_member.body', '{actor} changed your role. You stay on the team.'),
    ('podcast.member_role_changed.action', 'View podcast'),

    ('team_role.member_can',
      'As a member you can see the podcast, its guests, and its episodes before they are published.'),
    ('team_role.admin_can',
      'As an admin you can edit the podcast, publish episodes, upload audio and manage the team.')
$$;
comment on function private.texts_en_of_podcasts is 'The English texts of this domain.';
