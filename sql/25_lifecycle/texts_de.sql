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
    ('podcast.deletion_scheduled.action', 'Castbase öffnen'),
    ('podcast.deleted.title', '{podcast} wurde gelöscht'),
    ('podcast.deleted.body', 'Der Podcast und alle Folgen wurden wie vorgemerkt gelöscht.'),
    ('podcast.deleted.at_once.title', '{podcast} wurde gelöscht'),
    ('podcast.deleted.at_once.body', '{actor} hat den Podcast und alle Folgen gelöscht.'),
    ('podcast.deleted.action', 'Castbase öffnen'),
    ('podcast.deletion_near.title', '{podcast} wird in einer Woche gelöscht'),
    ('podcast.deletion_near.body',
      'Der Podcast und alle Folgen werden am {ends_date} gelöscht. Bis dahin kann die Löschung abgebrochen werden.'),
    ('podcast.deletion_near.tomorrow.title', '{podcast} wird morgen gelöscht'),
    ('podcast.deletion_near.tomorrow.body',
      'Der Podcast und alle Folgen werden am {ends_date} um {ends_time} gelöscht. Bis dahin kann die Löschung '
      'abgebrochen werden.'),
    ('podcast.deletion_near.action', 'Castbase öffnen'),
    ('podcast.redirect_changed.title', 'Der Feed von {podcast} führt zu einer anderen Adresse'),
    ('podcast.redirect_changed.body',
      '{actor} hat geändert, wohin der Feed Apps und Zuhörende führt: {redirect_url}. Wenn du diese Adresse nicht '
      'kennst, ändere die Weiterleitung, oder frage die Inhaberin oder den Inhaber des Podcasts.'),
    ('podcast.redirect_changed.held_back.title', 'Der Feed von {podcast} wird zu einer anderen Adresse führen'),
    ('podcast.redirect_changed.held_back.body',
      '{actor} hat geändert, wohin der Feed Apps und Zuhörende führt: ab {starts_date} um {starts_time} zu '
      '{redirect_url}. Wenn du diese Adresse nicht kennst, ändere die Weiterleitung vorher, oder frage die Inhaberin '
      'oder den Inhaber des Podcasts.'),
    ('podcast.redirect_changed.taken_over.title', 'Der Feed von {podcast} führt zu einer anderen Adresse'),
    ('podcast.redirect_changed.taken_over.body',
      'Der Podcast gehört jetzt dir, und sein Feed führt Apps und Zuhörende zu {redirect_url}. Wenn du diese Adresse '
      'nicht kennst, ändere die Weiterleitung.'),
    ('podcast.redirect_changed.ended.title', 'Der Feed von {podcast} wird nicht mehr weitergeleitet'),
    ('podcast.redirect_changed.ended.body', '{actor} hat die Weiterleitung beendet.'),
    ('podcast.redirect_changed.action', 'Castbase öffnen'),
    ('podcast.redirect_failing.title', 'Die Weiterleitung von {podcast} führt ins Leere'),
    ('podcast.redirect_failing.body',
      'Der Feed des Podcasts führt Apps und Zuhörende zu {redirect_url}. Dort lässt sich kein Feed lesen. '
      'Repariere den Feed dort, oder ändere die Weiterleitung.'),
    ('podcast.redirect_failing.other_podcast.title', 'Die Weiterleitung von {podcast} führt zu einem anderen Podcast'),
    ('podcast.redirect_failing.other_podcast.body',
      'Der Feed des Podcasts führt Apps und Zuhörende zu {redirect_url}. Der Feed dort enthält keine seiner Folgen. '
      'Wenn du das nicht willst, ändere die Weiterleitung.'),
    ('podcast.redirect_failing.target_ends.title', 'Die Weiterleitung von {podcast} wird ins Leere führen'),
    ('podcast.redirect_failing.target_ends.body',
      'Der Feed des Podcasts führt Apps und Zuhörende zu {redirect_url}, dem Feed eines Podcasts, der gelöscht wird. '
      'Ändere die Weiterleitung, oder leite auch jenen Podcast weiter.'),
    ('podcast.redirect_failing.action', 'Castbase öffnen'),
    ('podcast.pause_ending.title', 'Die Pause von {podcast} endet in einer Woche'),
    ('podcast.pause_ending.body',
      'Der Podcast ist ab dem {ends_date} wieder aktiv, und dein Abo wird ab dann wieder berechnet. Stand während der '
      'Pause die Verlängerung an, wird es an diesem Tag verlängert.'),
    ('podcast.pause_ending.action', 'Podcast ansehen'),
    ('podcast.deletion_canceled.title', '{podcast} wird nicht gelöscht'),
    ('podcast.deletion_canceled.body', '{actor} hat die Löschung des Podcasts abgebrochen.'),
    ('podcast.deletion_canceled.action', 'Podcast ansehen')
$$;
comment on function private.texts_de_of_lifecycle is 'The German texts of this domain.';
