-- German texts.
create function private.texts_de_of_lifecycle() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('podcast.paused.title', '{podcast} ist pausiert'),
    ('podcast.paused.body',
      '{actor} hat den Podcast pausiert. Er bleibt öffentlich und ist spätestens am {pause_expires_date} wieder '
      'aktiv.'),
    ('podcast.paused.action', 'Podcast ansehen'),
    ('podcast.unpaused.title', '{podcast} ist wieder aktiv'),
    ('podcast.unpaused.body', 'Die Pause des Podcasts ist zu Ende.'),
    ('podcast.unpaused.action', 'Podcast ansehen'),
    ('podcast.deletion_scheduled.title', '{podcast} wird gelöscht'),
    ('podcast.deletion_scheduled.body',
      '{actor} hat die Löschung des Podcasts und aller Folgen für den {deletion_scheduled_date} vorgemerkt. '
      'Bis dahin kann die Inhaberin oder der Inhaber sie abbrechen.'),
    ('podcast.deletion_scheduled.immediate.title', '{podcast} wurde gelöscht'),
    ('podcast.deletion_scheduled.immediate.body', '{actor} hat den Podcast und alle Folgen gelöscht.'),
    ('podcast.deletion_scheduled.action', 'Castbase öffnen'),
    ('podcast.deletion_canceled.title', '{podcast} wird nicht gelöscht'),
    ('podcast.deletion_canceled.body', '{actor} hat die Löschung des Podcasts abgebrochen.'),
    ('podcast.deletion_canceled.action', 'Podcast ansehen'),

    ('podcast.paused.label', 'pausierte Podcasts'),
    ('podcast.unpaused.label', 'wieder aktive Podcasts'),
    ('podcast.deletion_scheduled.label', 'Podcasts, die gelöscht werden'),
    ('podcast.deletion_canceled.label', 'abgebrochene Löschungen von Podcasts')
$$;
comment on function private.texts_de_of_lifecycle is 'The German texts of this domain.';
