-- English texts. A notification type has title, body and action (its button), and an address.title and address.body if
-- recipients that are only an address read something else; an address.action is their button. A .message beside a body
-- is appended to it if the payload has a message. The placeholders of these texts are the payload's values
-- (private.text_params) and the names {podcast}, {episode}, {actor} and {guest}.
--
-- Types booking.* expect {podcast_id, booking_id, actor_id?, params}, with params {guest (a name), link_name, start_at,
-- previous_start_at (rescheduled), timezone? (of the link), message?, variant?}. The variant is the booking's
-- cancelled_by (host, guest, expiry) of a canceled one, and its status of a rescheduled one. Titles are subjects of
-- emails: nothing that a guest writes is in them, nor in a request's email to an address, which someone else may have
-- entered.
create function private.texts_en() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('format.date', '{month} {day}, {year}'),
    ('format.months', 'January February March April May June July August September October November December'),
    ('format.clock', 'FMHH12:MI AM'),
    ('format.time', '{time} ({zone})'),
    ('name.member', 'Someone on the team'),  -- as {actor}, when the person is unknown
    ('name.guest', 'A guest'),
    ('name.podcast', 'a podcast'),  -- whose title is nothing but a link

    ('episode.team_added.title', 'You''re on “{episode}”'),
    ('episode.team_added.body', '{actor} added you to the team of this episode of {podcast}.'),
    ('episode.team_added.action', 'View episode'),
    ('episode.published.title', '“{episode}” is out'),
    ('episode.published.body', 'The new episode of {podcast} has been published.'),
    ('episode.published.action', 'View episode'),
    ('chat.message.title', '{actor} wrote about “{episode}”'),
    ('chat.message.body', '{excerpt}'),
    ('chat.message.action', 'View conversation'),
    ('chat.mention.title', '{actor} mentioned you in “{episode}”'),
    ('chat.mention.body', '{excerpt}'),
    ('chat.mention.action', 'View conversation'),
    ('guest.invited.title', 'Guest invitation from {podcast}'),
    ('guest.invited.body',
      E'{actor} has invited you to be a guest on “{episode}”, an episode of {podcast}. View the invitation to accept '
      'or decline, and to message the team.\n\nThe link is personal and valid until {expires_date}. Anyone who has '
      'it can respond on your behalf, so please don''t share it.'),
    ('guest.invited.message', E'Message:\n{message}'),
    ('guest.invited.action', 'View invitation'),
    ('guest.accepted.title', '{guest} accepted the invitation'),
    ('guest.accepted.body', '{guest} is now a guest on “{episode}”, an episode of {podcast}.'),
    ('guest.accepted.action', 'View episode'),
    ('podcast.member_invited.title', 'Join the team of {podcast}'),
    ('podcast.member_invited.body', '{actor} has invited you. Accept the invitation to join, or decline it.'),
    ('podcast.member_invited.action', 'View invitation'),
    ('podcast.member_invited.address.member.title', 'Join the team of {podcast}'),
    ('podcast.member_invited.address.member.body',
      E'{actor} has invited you to join the team of the podcast “{podcast}” on Castbase. As a member you can see the '
      'podcast, its guests, and its episodes before they are published.\n\nTo accept, sign in with this email '
      'address, {email}, or sign up with it if you''re new. The invitation is valid until {expires_date}.\n\nDon''t '
      'want to join? Sign in to decline, and to block further invitations to this podcast, or just ignore this '
      'email: you join the team only if you accept.'),
    ('podcast.member_invited.address.admin.title', 'Join the team of {podcast}'),
    ('podcast.member_invited.address.admin.body',
      E'{actor} has invited you to join the team of the podcast “{podcast}” on Castbase. As an admin you can edit the '
      'podcast, publish episodes, upload audio and manage the team.\n\nTo accept, sign in with this email address, '
      '{email}, or sign up with it if you''re new. The invitation is valid until {expires_date}.\n\nDon''t want to '
      'join? Sign in to decline, and to block further invitations to this podcast, or just ignore this email: you '
      'join the team only if you accept.'),
    ('podcast.member_invited.address.action', 'View invitation'),
    ('podcast.transfer_offered.title', 'Become the owner of {podcast}'),
    ('podcast.transfer_offered.body',
      '{actor} would like to transfer the podcast to you. Accept or decline the offer.'),
    ('podcast.transfer_offered.action', 'View offer'),
    ('podcast.transfer_accepted.title', '{podcast} has a new owner'),
    ('podcast.transfer_accepted.body',
      '{actor} accepted your offer and now owns the podcast. You''re an admin of it.'),
    ('podcast.transfer_accepted.action', 'View podcast'),
    ('booking.requested.title', 'Booking request for {podcast}: {link_name}'),
    ('booking.requested.body', '{guest} asks for {start_date} at {start_time}. Confirm or decline the request.'),
    ('booking.requested.message', E'Message:\n{message}'),
    ('booking.requested.action', 'View request'),
    ('booking.requested.address.title', 'Your booking request for {podcast}'),
    ('booking.requested.address.body',
      E'You asked for {start_date} at {start_time}: {link_name}. You''ll get an email when it is confirmed or '
      'declined.\n\nThis wasn''t you? Then ignore this email, or unsubscribe from booking requests below.'),
    ('booking.requested.address.action', 'Manage booking'),
    ('booking.confirmed.title', 'Recording for {podcast} confirmed: {link_name}'),
    ('booking.confirmed.body', 'The recording with {guest} is on {start_date} at {start_time}.'),
    ('booking.confirmed.message', E'Message:\n{message}'),
    ('booking.confirmed.action', 'View booking'),
    ('booking.confirmed.address.title', 'Your recording for {podcast} is confirmed'),
    ('booking.confirmed.address.body', 'It''s on {start_date} at {start_time}.'),
    ('booking.confirmed.address.message', E'Message from the host:\n{message}'),
    ('booking.confirmed.address.action', 'Manage booking'),
    ('booking.rescheduled.title', 'Recording for {podcast} rescheduled: {link_name}'),
    ('booking.rescheduled.body',
      'The recording with {guest} is now on {start_date} at {start_time}. Before, it was on {previous_start_date} at '
      '{previous_start_time}.'),
    ('booking.rescheduled.message', E'Message:\n{message}'),
    ('booking.rescheduled.action', 'View booking'),
    ('booking.rescheduled.pending.title', 'Booking request for {podcast} rescheduled: {link_name}'),
    ('booking.rescheduled.pending.body',
      '{guest} now asks for {start_date} at {start_time} instead of {previous_start_date} at {previous_start_time}. '
      'Confirm or decline the request.'),
    ('booking.rescheduled.pending.message', E'Message:\n{message}'),
    ('booking.rescheduled.address.title', 'Your recording for {podcast} is rescheduled'),
    ('booking.rescheduled.address.body',
      'It''s now on {start_date} at {start_time}. Before, it was on {previous_start_date} at {previous_start_time}.'),
    ('booking.rescheduled.address.message', E'Message:\n{message}'),
    ('booking.rescheduled.address.action', 'Manage booking'),
    ('booking.rescheduled.address.pending.title', 'Your booking request for {podcast} is rescheduled'),
    ('booking.rescheduled.address.pending.body',
      'It''s now for {start_date} at {start_time}. Before, it was for {previous_start_date} at '
      '{previous_start_time}. You''ll get an email when it is confirmed or declined.'),
    ('booking.rescheduled.address.pending.message', E'Message:\n{message}'),
    ('booking.declined.title', 'Your booking request for {podcast} was declined'),
    ('booking.declined.body', 'You asked for {start_date} at {start_time}.'),
    ('booking.declined.message', E'Message from the host:\n{message}'),
    ('booking.declined.action', 'View booking'),
    ('booking.cancelled.title', 'Booking for {podcast} canceled: {link_name}'),
    ('booking.cancelled.body',
      '{actor} canceled the booking of {guest}. It was planned for {start_date} at {start_time}.'),
    ('booking.cancelled.message', E'Message:\n{message}'),
    ('booking.cancelled.action', 'View booking'),
    ('booking.cancelled.guest.title', 'Booking for {podcast} canceled: {link_name}'),
    ('booking.cancelled.guest.body', '{guest} canceled it. It was planned for {start_date} at {start_time}.'),
    ('booking.cancelled.guest.message', E'Message:\n{message}'),
    ('booking.cancelled.expiry.title', 'Booking request for {podcast} expired: {link_name}'),
    ('booking.cancelled.expiry.body',
      '{guest} asked for {start_date} at {start_time}. The request wasn''t answered in time, so it is canceled.'),
    ('booking.cancelled.address.title', 'Your booking for {podcast} is canceled'),
    ('booking.cancelled.address.body', 'The host canceled it. It was planned for {start_date} at {start_time}.'),
    ('booking.cancelled.address.message', E'Message from the host:\n{message}'),
    ('booking.cancelled.address.action', 'View booking'),
    ('booking.cancelled.address.guest.title', 'Your booking for {podcast} is canceled'),
    ('booking.cancelled.address.guest.body', 'You canceled it. It was planned for {start_date} at {start_time}.'),
    ('booking.cancelled.address.expiry.title', 'Your booking request for {podcast} has expired'),
    ('booking.cancelled.address.expiry.body',
      'You asked for {start_date} at {start_time}, and the host didn''t answer in time. You can ask for another time.'),
    ('import.completed.title', 'The import of {podcast} is complete'),
    ('import.completed.body',
      'Episodes imported: {completed_count}. Failed: {failed_count}. Skipped: {skipped_count}.'),
    ('import.completed.action', 'View import'),
    ('import.failed.title', 'The import of {podcast} failed'),
    ('import.failed.body', 'Open the import to see why, and to try again.'),
    ('import.failed.action', 'View import'),
    ('podcast.paused.title', '{podcast} is paused'),
    ('podcast.paused.body',
      '{actor} paused the podcast. It stays public, and becomes active again by {pause_expires_date} at the latest.'),
    ('podcast.paused.action', 'View podcast'),
    ('podcast.unpaused.title', '{podcast} is active again'),
    ('podcast.unpaused.body', 'The pause of the podcast has ended.'),
    ('podcast.unpaused.action', 'View podcast'),
    ('podcast.deletion_scheduled.title', '{podcast} will be deleted'),
    ('podcast.deletion_scheduled.body',
      '{actor} scheduled the podcast and all its episodes for deletion on {deletion_scheduled_date}. '
      'Until then, its owner can cancel the deletion.'),
    ('podcast.deletion_scheduled.immediate.title', '{podcast} was deleted'),
    ('podcast.deletion_scheduled.immediate.body', '{actor} deleted the podcast and all its episodes.'),
    ('podcast.deletion_scheduled.action', 'Open Castbase'),
    ('podcast.deletion_canceled.title', '{podcast} won''t be deleted'),
    ('podcast.deletion_canceled.body', '{actor} canceled the deletion of the podcast.'),
    ('podcast.deletion_canceled.action', 'View podcast'),
    ('automation.failed.title', 'An automation of {podcast} failed'),
    ('automation.failed.body', '“{rule}” couldn''t finish. Open it to see why, and to try again.'),
    ('automation.failed.action', 'View automation'),
    ('automation.email.title', '{subject}'),  -- of the podcast's template
    ('automation.email.body', '{body}'),
    ('automation.email.action', 'View podcast'),
    ('automation.address_requested.title', 'Receive emails of {podcast}?'),
    ('automation.address_requested.body',
      E'The team of {podcast} would like to send automatic emails to this address. You''ll get them only if you agree.'
      '\n\nYou weren''t expecting this? Then ignore this email, or unsubscribe from such requests below.'),
    ('automation.address_requested.action', 'Confirm address'),
    ('chat.message.listed', '{actor}:'),  -- one of several messages about an episode
    ('chat.mention.listed', '{actor} mentioned you:'),
    ('chat.collapsed.title', '{count} new messages about “{episode}”'),
    ('chat.collapsed.mention_title', '{count} new messages about “{episode}”, with a mention of you'),
    ('chat.collapsed.more', 'More messages: {count}.'),

    -- what the emails of a type are about, after a colon
    ('episode.team_added.label', 'additions to an episode''s team'),
    ('episode.published.label', 'new episodes of your podcasts'),
    ('chat.message.label', 'messages about episodes'),
    ('chat.mention.label', 'mentions in messages'),
    ('guest.invited.label', 'guest invitations'),
    ('guest.accepted.label', 'accepted guest invitations'),
    ('podcast.member_invited.label', 'invitations to teams'),
    ('podcast.transfer_offered.label', 'offers to transfer a podcast'),
    ('podcast.transfer_accepted.label', 'accepted transfers of podcasts'),
    ('booking.requested.label', 'new booking requests'),
    ('booking.confirmed.label', 'confirmed bookings'),
    ('booking.requested.address.label', 'booking requests with your address'),
    ('booking.rescheduled.label', 'rescheduled bookings'),
    ('booking.declined.label', 'declined booking requests'),
    ('booking.cancelled.label', 'canceled bookings'),
    ('import.completed.label', 'completed imports'),
    ('import.failed.label', 'failed imports'),
    ('podcast.paused.label', 'paused podcasts'),
    ('podcast.unpaused.label', 'podcasts that become active again'),
    ('podcast.deletion_scheduled.label', 'podcasts that will be deleted'),
    ('podcast.deletion_canceled.label', 'canceled deletions of podcasts'),
    ('automation.failed.label', 'failed automations'),
    ('automation.email.label', 'automatic emails of podcasts'),
    ('automation.address_requested.label', 'requests to send you automatic emails'),

    ('email.settings', 'You get this email because of your notification settings on Castbase.'),
    ('email.address', 'You get this email because your address was entered on Castbase.'),
    ('email.podcast_address',
      'You get this email because your address was entered for {podcast}, a podcast on Castbase.'),
    ('email.guest', 'You get this email because you''re a guest of {podcast}.'),
    ('email.chat', 'You get this email because you''re on the team of {podcast}.'),
    ('email.essential', 'You get this email because it concerns a podcast of yours.'),
    ('email.unsubscribe', 'Unsubscribe from these emails'),

    ('unsubscribe.off_title', 'You''re unsubscribed'),
    ('unsubscribe.off_body',
      'We won''t send you these emails: {label}. Was this a mistake, or did your email program open the link by '
      'itself? Then turn them on again.'),
    ('unsubscribe.off_action', 'Turn emails on'),
    ('unsubscribe.on_title', 'You''re subscribed again'),
    ('unsubscribe.on_body', 'We''ll send you these emails: {label}.'),
    ('unsubscribe.on_action', 'Turn emails off'),
    ('unsubscribe.blocked_title', 'These emails stay off'),
    ('unsubscribe.blocked_body',
      'Emails to your address were rejected or reported as spam, so we don''t send you any. If that''s wrong, please '
      'contact us.'),
    ('unsubscribe.unknown_title', 'This link doesn''t work'),
    ('unsubscribe.unknown_body',
      'It may have expired, or it isn''t complete. You can change your notification settings in the app.'),

    ('calendar_event.guest', 'Guest: {name} ({email})'),
    ('calendar_event.manage', 'Manage this booking: {url}'),

    ('ownership_code.subject', 'Your verification code for {podcast}'),
    ('ownership_code.intro', 'Someone is importing this feed into “{podcast}” on Castbase:'),
    ('ownership_code.body',
      'The feed is locked and names you as its owner. If you started this import, or someone you trust with the '
      'podcast did, use or share this code:'),
    ('ownership_code.note',
      'The code expires at {time}. If you weren''t expecting this, ignore this email; nothing can be imported without '
      'the code.')
$$;
comment on function private.texts_en is 'The English texts.';
