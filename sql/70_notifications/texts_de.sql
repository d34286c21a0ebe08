-- German texts.
create function private.texts_de_of_notifications() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('name.member', 'Jemand aus dem Team'),
    ('name.guest', 'Ein Gast'),
    ('name.podcast', 'einem Podcast'),

    ('chat.message.title', '{actor} hat zu „{episode}“ geschrieben'),
    ('chat.message.body', '{excerpt}'),
    ('chat.message.action', 'Unterhaltung ansehen'),
    ('chat.mention.title', '{actor} hat dich in „{episode}“ erwähnt'),
    ('chat.mention.body', '{excerpt}'),
    ('chat.mention.action', 'Unterhaltung ansehen'),
    ('chat.message.listed', '{actor}:'),
    ('chat.mention.listed', '{actor} hat dich erwähnt:'),
    ('chat.message.collapsed', '{count} neue Nachrichten zu „{episode}“'),
    ('chat.mention.collapsed', '{count} neue Nachrichten zu „{episode}“, du wirst erwähnt'),
    ('email.more', 'Und {count} weitere.'),

    ('inbox.digest.title', 'Deine Übersicht'),
    ('inbox.digest.body', 'Neues in deinen Podcasts.'),
    ('inbox.digest.collapsed', 'Deine Übersicht: {count} Neuigkeiten'),
    ('inbox.digest.action', 'Castbase öffnen'),

    ('email.settings', 'Du bekommst diese E-Mail wegen deiner Benachrichtigungseinstellungen bei Castbase.'),
    ('email.address', 'Du bekommst diese E-Mail, weil deine Adresse bei Castbase angegeben wurde.'),
    ('email.podcast_address',
      'Du bekommst diese E-Mail, weil deine Adresse für {podcast}, einen Podcast bei Castbase, angegeben wurde.'),
    ('email.guest', 'Du bekommst diese E-Mail, weil du bei {podcast} zu Gast bist.'),
    ('email.chat', 'Du bekommst diese E-Mail, weil du zum Team von {podcast} gehörst.'),
    ('email.essential', 'Du bekommst diese E-Mail, weil sie einen deiner Podcasts betrifft.'),
    ('email.essential_account', 'Du bekommst diese E-Mail, weil sie dein Konto betrifft.'),
    ('email.unsubscribe', 'Diese E-Mails abbestellen'),

    ('email_confirmation.subject', 'Dein Bestätigungscode'),
    ('email_confirmation.intro', 'Mit diesem Code bekommst du an diese Adresse wieder E-Mails von Castbase:'),
    ('email_confirmation.note',
      'Der Code gilt eine Stunde. Wenn du ihn nicht angefordert hast, ignoriere diese E-Mail: Ohne den Code ändert '
      'sich nichts.')
$$;
comment on function private.texts_de_of_notifications is 'The German texts of this domain.';
