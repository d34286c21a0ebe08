-- German texts.
create function private.texts_de_of_guests() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('guest.invited.title', 'Einladung als Gast von {podcast}'),
    ('guest.invited.body',
      E'{actor} lädt dich als Gast zu „{episode}“ ein, einer Folge von {podcast}. In der Einladung kannst du '
      'zusagen oder absagen und dem Team schreiben.\n\nDer Link ist persönlich und bis zum {expires_date} '
      'gültig. Wer ihn hat, kann in deinem Namen antworten. Bitte gib ihn also nicht weiter.'),
    ('guest.invited.message', E'Nachricht:\n{message}'),
    ('guest.invited.action', 'Einladung ansehen'),
    ('guest.accepted.title', '{guest} hat die Einladung angenommen'),
    ('guest.accepted.body', '{guest} ist jetzt zu Gast in „{episode}“, einer Folge von {podcast}.'),
    ('guest.accepted.action', 'Folge ansehen'),
    ('guest.declined.title', '{guest} hat die Einladung abgelehnt'),
    ('guest.declined.body', '{guest} ist nicht zu Gast in „{episode}“, einer Folge von {podcast}.'),
    ('guest.declined.action', 'Folge ansehen')
$$;
comment on function private.texts_de_of_guests is 'The German texts of this domain.';
