-- German texts.
create function private.texts_de_of_automations() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('automation.failed.title', 'Eine Automation von {podcast} ist fehlgeschlagen'),
    ('automation.failed.body',
      '„{rule}“ konnte nicht abgeschlossen werden. In der Automation siehst du den Grund und kannst es noch einmal '
      'versuchen.'),
    ('automation.failed.canceled.title', 'Eine Automation von {podcast} wurde abgebrochen'),
    ('automation.failed.canceled.body',
      '„{rule}“ wurde abgebrochen, bevor sie fertig war. In der Automation siehst du den Grund und kannst es noch '
      'einmal versuchen.'),
    ('automation.failed.action', 'Automation ansehen'),
    ('automation.webhook_disabled.title', 'Ein Webhook von {podcast} ist abgeschaltet'),
    ('automation.webhook_disabled.body',
      '{receiver} meldet, dass es den Webhook von „{rule}“ dort nicht mehr gibt (410 Gone). Deshalb senden wir ihn '
      'nicht mehr. Ändere seine URL, oder schalte ihn wieder ein.'),
    ('automation.webhook_disabled.action', 'Automation ansehen'),
    ('automation.email.title', '{podcast}'),  -- until its content is rendered
    ('automation.email.body', '{podcast}'),
    ('automation.email.action', 'Podcast ansehen'),
    ('automation.email.listen', 'Anhören'),
    ('automation.email.to_team',
      'Du bekommst diese E-Mail, weil du zum Team von {podcast} gehörst und dessen Automation „{rule}“ an dich '
      'sendet.'),
    ('automation.email.to_address',
      'Du bekommst diese E-Mail, weil diese Adresse für automatische E-Mails von {podcast} bestätigt wurde.'),
    ('automation.email.to_booker', 'Du bekommst diese E-Mail, weil du einen Termin bei {podcast} gebucht hast.'),
    ('automation.email.to_unverified_booker',
      'Du bekommst diese E-Mail, weil jemand mit dieser Adresse einen Termin bei {podcast} gebucht hat.'),
    ('automation.email.to_guest', 'Du bekommst diese E-Mail, weil du bei {podcast} zu Gast bist.'),
    ('automation.email.to_tester',
      'Du bekommst diese E-Mail, weil du die Automation „{rule}“ von {podcast} testest. Nur du bekommst sie.'),
    ('automation.email.test', '[Test] {subject}'),
    ('automation.address_requested.title', 'E-Mails von {podcast} erhalten?'),
    ('automation.address_requested.body',
      E'Das Team von {podcast} möchte automatische E-Mails an diese Adresse senden. Du bekommst sie nur, wenn du '
      'zustimmst. Auch Antworten auf solche E-Mails können an diese Adresse gehen.'
      '\n\nDu hast das nicht erwartet? Dann ignoriere diese E-Mail, oder bestelle solche Anfragen unten ab.'),
    ('automation.address_requested.action', 'Adresse bestätigen')
$$;
comment on function private.texts_de_of_automations is 'The German texts of this domain.';
