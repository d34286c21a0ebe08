-- English texts. Types booking.* expect {podcast_id, booking_id, actor_id?, params}, with params {guest (a name),
-- link_name, start_at, previous_start_at (rescheduled), timezone? (of the link), location?, message?, variant?}. The
-- variant is the booking's cancelled_by (host, guest, expiry) of a canceled one, `deleted` to a host of a deleted
-- podcast, `pending` of a moved request, `place` of a session that has another place, and in the email to a guest who
-- is not verified `unverified` of a request. Titles are subjects of emails: nothing that a guest writes is in them, nor
-- in a request's email to an address, which someone else may have entered.
create function private.texts_en_of_bookings() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('booking.requested.title', 'Booking request for {podcast}: {link_name}'),
    ('booking.requested.body', '{guest} asks for {start_date} at {start_time}. Confirm or decline the request.'),
    ('booking.requested.message', E'Message:\n{message}'),
    ('booking.requested.action', 'View request'),
    ('booking.requested.address.title', 'Your booking request for {podcast}'),
    ('booking.requested.address.body',
      'You asked for {start_date} at {start_time}: {link_name}. You''ll get an email when it is confirmed or '
      'declined.'),
    ('booking.requested.address.unverified.title', 'Your booking request for {podcast}'),
    ('booking.requested.address.unverified.body',
      E'You asked for {start_date} at {start_time}: {link_name}. Please open your booking and confirm your email '
      'address. You''ll get another email when the team confirms or declines the request.\n\nThis wasn''t you? Then '
      'ignore this email, or unsubscribe from booking requests below.'),
    ('booking.requested.address.instant.title', 'Confirm your booking for {podcast}'),
    ('booking.requested.address.instant.body',
      E'You chose {start_date} at {start_time}: {link_name}. Please open your booking and confirm your email address. '
      'Then the time is yours, and you''ll get an email with all details.\n\nThis wasn''t you? Then ignore this email, '
      'or unsubscribe from booking requests below.'),
    ('booking.requested.address.action', 'Manage booking'),
    ('booking.confirmed.title', 'Recording for {podcast} confirmed: {link_name}'),
    ('booking.confirmed.body', 'The recording with {guest} is on {start_date} at {start_time}.'),
    ('booking.confirmed.location', 'Where: {location}'),
    ('booking.confirmed.message', E'Message:\n{message}'),
    ('booking.confirmed.action', 'View booking'),
    ('booking.confirmed.address.title', 'Your recording for {podcast} is confirmed'),
    ('booking.confirmed.address.body', 'It''s on {start_date} at {start_time}.'),
    ('booking.confirmed.address.location', 'Where: {location}'),
    ('booking.confirmed.address.message', E'Message from the host:\n{message}'),
    ('booking.confirmed.address.action', 'Manage booking'),
    ('booking.rescheduled.title', 'Recording for {podcast} rescheduled: {link_name}'),
    ('booking.rescheduled.body',
      'The recording with {guest} is now on {start_date} at {start_time}. Before, it was on {previous_start_date} at '
      '{previous_start_time}.'),
    ('booking.rescheduled.location', 'Where: {location}'),
    ('booking.rescheduled.message', E'Message:\n{message}'),
    ('booking.rescheduled.action', 'View booking'),
    ('booking.rescheduled.place.title', 'Recording for {podcast} has a new place: {link_name}'),
    ('booking.rescheduled.place.body',
      '{actor} changed the place of the recording with {guest} on {start_date} at {start_time}.'),
    ('booking.rescheduled.place.location', 'Where: {location}'),
    ('booking.requested.pending.title', 'Booking request for {podcast} rescheduled: {link_name}'),
    ('booking.requested.pending.body',
      '{guest} now asks for {start_date} at {start_time} instead of {previous_start_date} at {previous_start_time}. '
      'Confirm or decline the request.'),
    ('booking.requested.pending.message', E'Message:\n{message}'),
    ('booking.rescheduled.address.title', 'Your recording for {podcast} is rescheduled'),
    ('booking.rescheduled.address.body',
      'It''s now on {start_date} at {start_time}. Before, it was on {previous_start_date} at {previous_start_time}.'),
    ('booking.rescheduled.address.location', 'Where: {location}'),
    ('booking.rescheduled.address.message', E'Message:\n{message}'),
    ('booking.rescheduled.address.action', 'Manage booking'),
    ('booking.rescheduled.address.place.title', 'Your recording for {podcast} has a new place'),
    ('booking.rescheduled.address.place.body',
      'The host changed the place of your recording on {start_date} at {start_time}.'),
    ('booking.rescheduled.address.place.location', 'Where: {location}'),
    ('booking.rescheduled.address.pending.title', 'Your booking request for {podcast} is rescheduled'),
    ('booking.rescheduled.address.pending.body',
      'It''s now for {start_date} at {start_time}. Before, it was for {previous_start_date} at '
      '{previous_start_time}. You''ll get an email when it is confirmed or declined.'),
    ('booking.rescheduled.address.pending.message', E'Message:\n{message}'),
    ('booking.rescheduled.address.instant.title', 'Your booking request for {podcast} is rescheduled'),
    ('booking.rescheduled.address.instant.body',
      'It''s now for {start_date} at {start_time}. Before, it was for {previous_start_date} at '
      '{previous_start_time}. Please open your booking and confirm your email address. Then the time is yours.'),
    ('booking.declined.title', 'Booking request for {podcast} declined: {link_name}'),
    ('booking.declined.body',
      '{actor} declined the request of {guest}. It was for {start_date} at {start_time}.'),
    ('booking.declined.message', E'Message:\n{message}'),
    ('booking.declined.action', 'View booking'),
    ('booking.reminder.title', 'Reminder: recording for {podcast}: {link_name}'),
    ('booking.reminder.body', 'The recording with {guest} is on {start_date} at {start_time}.'),
    ('booking.reminder.location', 'Where: {location}'),
    ('booking.reminder.action', 'View booking'),
    ('booking.reminder.address.title', 'Reminder of your recording for {podcast}'),
    ('booking.reminder.address.body', 'It''s on {start_date} at {start_time}.'),
    ('booking.reminder.address.location', 'Where: {location}'),
    ('booking.reminder.address.action', 'Manage booking'),
    ('calendar.failing.title', 'Your calendar {account} can''t be read'),
    ('calendar.failing.body',
      E'{reason}\n\nYour last known busy times still count, but newer ones don''t, so bookings may be offered when '
      'you''re busy. We keep trying. Check that the calendar is still shared and that its address is right, or connect '
      'it again on your calendars page.'),
    ('calendar.failing.action', 'View calendars'),
    ('calendar.revoked.title', 'Reconnect your calendar {account}'),
    ('calendar.revoked.body',
      E'{reason}\n\nCastbase may no longer read it, so bookings may be offered when you''re busy. Connect it again on '
      'your calendars page.'),
    ('calendar.revoked.action', 'View calendars'),
    ('booking.declined.address.title', 'Your booking request for {podcast} was declined'),
    ('booking.declined.address.body', 'You asked for {start_date} at {start_time}.'),
    ('booking.declined.address.message', E'Message from the host:\n{message}'),
    ('booking.declined.address.action', 'View booking'),
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
    ('booking.cancelled.address.deleted.title', 'Booking for {podcast} canceled'),
    ('booking.cancelled.address.deleted.body',
      'The podcast is deleted, so the recording with {guest} on {start_date} at {start_time} is canceled.'),
    ('booking.cancelled.address.guest.title', 'Your booking for {podcast} is canceled'),
    ('booking.cancelled.address.guest.body', 'You canceled it. It was planned for {start_date} at {start_time}.'),
    ('booking.cancelled.address.expiry.title', 'Your booking request for {podcast} has expired'),
    ('booking.cancelled.address.expiry.body',
      'You asked for {start_date} at {start_time}, and the host didn''t answer in time. You can ask for another time.'),
    ('booking.cancelled.address.instant_expiry.title', 'Your booking request for {podcast} has expired'),
    ('booking.cancelled.address.instant_expiry.body',
      'You chose {start_date} at {start_time}, and didn''t confirm your email address in time. You can book another '
      'time.'),

    ('booking_details.guest', 'Guest: {name} ({email})'),
    ('booking_details.unverified', 'The guest hasn''t confirmed this address yet.'),
    ('booking_details.timezone', 'Time zone: {timezone}'),
    ('booking_details.notes', 'Notes:'),

    ('calendar_event.guest', 'Guest: {name} ({email})'),
    ('calendar_event.manage', 'Manage this booking: {url}')
$$;
comment on function private.texts_en_of_bookings is 'The English texts of this domain.';
