-- German texts.
create function private.texts_de_of_bookings() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('booking.requested.title', 'Buchungsanfrage für {podcast}: {link_name}'),
    ('booking.requested.body',
      '{guest} fragt einen Termin an: {start_date}, {start_time}. Bitte bestätige die Anfrage oder lehne sie ab.'),
    ('booking.requested.message', E'Nachricht:\n{message}'),
    ('booking.requested.action', 'Anfrage ansehen'),
    ('booking.requested.address.title', 'Deine Buchungsanfrage für {podcast}'),
    ('booking.requested.address.body',
      'Gewünschter Termin: {start_date}, {start_time} ({link_name}). Du bekommst eine E-Mail, sobald die Anfrage '
      'bestätigt oder abgelehnt ist.'),
    ('booking.requested.address.unverified.title', 'Deine Buchungsanfrage für {podcast}'),
    ('booking.requested.address.unverified.body',
      E'Gewünschter Termin: {start_date}, {start_time} ({link_name}). Bitte öffne die Buchung und bestätige deine '
      'E-Mail-Adresse. Du bekommst noch eine E-Mail, sobald die Anfrage bestätigt oder abgelehnt ist.\n\n'
      'Das warst nicht du? Dann ignoriere diese E-Mail oder bestelle Buchungsanfragen unten ab.'),
    ('booking.requested.address.action', 'Buchung verwalten'),
    ('booking.confirmed.title', 'Aufnahme für {podcast} bestätigt: {link_name}'),
    ('booking.confirmed.body', 'Die Aufnahme mit {guest} findet am {start_date} um {start_time} statt.'),
    ('booking.confirmed.message', E'Nachricht:\n{message}'),
    ('booking.confirmed.action', 'Buchung ansehen'),
    ('booking.confirmed.address.title', 'Deine Aufnahme für {podcast} ist bestätigt'),
    ('booking.confirmed.address.body', 'Sie findet am {start_date} um {start_time} statt.'),
    ('booking.confirmed.address.message', E'Nachricht vom Team:\n{message}'),
    ('booking.confirmed.address.action', 'Buchung verwalten'),
    ('booking.rescheduled.title', 'Aufnahme für {podcast} verschoben: {link_name}'),
    ('booking.rescheduled.body',
      'Die Aufnahme mit {guest} findet jetzt am {start_date} um {start_time} statt. Vorher war sie am '
      '{previous_start_date} um {previous_start_time}.'),
    ('booking.rescheduled.message', E'Nachricht:\n{message}'),
    ('booking.rescheduled.action', 'Buchung ansehen'),
    ('booking.requested.pending.title', 'Buchungsanfrage für {podcast} verschoben: {link_name}'),
    ('booking.requested.pending.body',
      'Neuer Wunschtermin von {guest}: {start_date}, {start_time}, statt {previous_start_date}, '
      '{previous_start_time}. Bitte bestätige die Anfrage oder lehne sie ab.'),
    ('booking.requested.pending.message', E'Nachricht:\n{message}'),
    ('booking.rescheduled.address.title', 'Deine Aufnahme für {podcast} ist verschoben'),
    ('booking.rescheduled.address.body',
      'Sie findet jetzt am {start_date} um {start_time} statt. Vorher war sie am {previous_start_date} um '
      '{previous_start_time}.'),
    ('booking.rescheduled.address.message', E'Nachricht:\n{message}'),
    ('booking.rescheduled.address.action', 'Buchung verwalten'),
    ('booking.rescheduled.address.pending.title', 'Deine Buchungsanfrage für {podcast} ist verschoben'),
    ('booking.rescheduled.address.pending.body',
      'Neuer Wunschtermin: {start_date}, {start_time}, statt {previous_start_date}, {previous_start_time}. Du bekommst '
      'eine E-Mail, sobald die Anfrage bestätigt oder abgelehnt ist.'),
    ('booking.rescheduled.address.pending.message', E'Nachricht:\n{message}'),
    ('booking.declined.title', 'Buchungsanfrage für {podcast} abgelehnt: {link_name}'),
    ('booking.declined.body',
      '{actor} hat die Anfrage von {guest} abgelehnt. Gewünschter Termin: {start_date}, {start_time}.'),
    ('booking.declined.message', E'Nachricht:\n{message}'),
    ('booking.declined.action', 'Buchung ansehen'),
    ('calendar.failing.title', 'Dein Kalender {account} lässt sich nicht lesen'),
    ('calendar.failing.body',
      E'{reason}\n\nDie zuletzt gelesenen Termine zählen weiter, neuere aber nicht. Deshalb können Zeiten angeboten werden, '
      'zu denen du keine Zeit hast. Wir versuchen es weiter. Prüfe, ob der Kalender noch freigegeben ist und seine Adresse '
      'stimmt, oder verbinde ihn auf der Seite deiner Kalender noch einmal.'),
    ('calendar.failing.action', 'Kalender ansehen'),
    ('calendar.revoked.title', 'Verbinde deinen Kalender {account} neu'),
    ('calendar.revoked.body',
      E'{reason}\n\nCastbase darf ihn nicht mehr lesen. Deshalb können Zeiten angeboten werden, zu denen du keine Zeit '
      'hast. Verbinde ihn auf der Seite deiner Kalender noch einmal.'),
    ('calendar.revoked.action', 'Kalender ansehen'),
    ('booking.declined.address.title', 'Deine Buchungsanfrage für {podcast} wurde abgelehnt'),
    ('booking.declined.address.body', 'Gewünschter Termin: {start_date}, {start_time}.'),
    ('booking.declined.address.message', E'Nachricht vom Team:\n{message}'),
    ('booking.declined.address.action', 'Buchung ansehen'),
    ('booking.cancelled.title', 'Buchung für {podcast} abgesagt: {link_name}'),
    ('booking.cancelled.body',
      '{actor} hat die Buchung von {guest} abgesagt. Sie war für den {start_date} um {start_time} geplant.'),
    ('booking.cancelled.message', E'Nachricht:\n{message}'),
    ('booking.cancelled.action', 'Buchung ansehen'),
    ('booking.cancelled.guest.title', 'Buchung für {podcast} abgesagt: {link_name}'),
    ('booking.cancelled.guest.body',
      '{guest} hat sie abgesagt. Sie war für den {start_date} um {start_time} geplant.'),
    ('booking.cancelled.guest.message', E'Nachricht:\n{message}'),
    ('booking.cancelled.expiry.title', 'Buchungsanfrage für {podcast} abgelaufen: {link_name}'),
    ('booking.cancelled.expiry.body',
      'Wunschtermin von {guest}: {start_date}, {start_time}. Die Anfrage wurde nicht rechtzeitig '
      'beantwortet und ist deshalb abgesagt.'),
    ('booking.cancelled.address.title', 'Deine Buchung für {podcast} ist abgesagt'),
    ('booking.cancelled.address.body',
      'Das Team hat sie abgesagt. Sie war für den {start_date} um {start_time} geplant.'),
    ('booking.cancelled.address.message', E'Nachricht vom Team:\n{message}'),
    ('booking.cancelled.address.action', 'Buchung ansehen'),
    ('booking.cancelled.address.deleted.title', 'Buchung für {podcast} abgesagt: {link_name}'),
    ('booking.cancelled.address.deleted.body',
      'Der Podcast ist gelöscht. Deshalb ist die Aufnahme mit {guest} am {start_date} um {start_time} abgesagt.'),
    ('booking.cancelled.address.guest.title', 'Deine Buchung für {podcast} ist abgesagt'),
    ('booking.cancelled.address.guest.body',
      'Du hast sie abgesagt. Sie war für den {start_date} um {start_time} geplant.'),
    ('booking.cancelled.address.expiry.title', 'Deine Buchungsanfrage für {podcast} ist abgelaufen'),
    ('booking.cancelled.address.expiry.body',
      'Gewünschter Termin: {start_date}, {start_time}. Die Anfrage wurde nicht rechtzeitig beantwortet. Du kannst '
      'einen anderen Termin anfragen.'),

    ('booking.requested.label', 'neue Buchungsanfragen'),
    ('booking.confirmed.label', 'bestätigte Buchungen'),
    ('booking.requested.address.label', 'Buchungsanfragen mit deiner Adresse'),
    ('booking.rescheduled.label', 'verschobene Buchungen'),
    ('calendar.failing.label', 'Kalender, die sich nicht lesen lassen'),
    ('calendar.revoked.label', 'Kalender, die sich nicht lesen lassen'),
    ('booking.declined.label', 'abgelehnte Buchungsanfragen'),
    ('booking.cancelled.label', 'abgesagte Buchungen'),

    ('booking_details.guest', 'Gast: {name} ({email})'),
    ('booking_details.unverified', 'Der Gast hat diese Adresse noch nicht bestätigt.'),
    ('booking_details.timezone', 'Zeitzone: {timezone}'),
    ('booking_details.notes', 'Anmerkungen:'),

    ('calendar_event.guest', 'Gast: {name} ({email})'),
    ('calendar_event.manage', 'Buchung verwalten: {url}')
$$;
comment on function private.texts_de_of_bookings is 'The German texts of this domain.';
