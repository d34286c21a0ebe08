-- German texts.
create function private.texts_de_of_imports() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('import.completed.title', 'Der Import von {podcast} ist fertig'),
    ('import.completed.body',
      'Importierte Folgen: {completed_count}. Fehlgeschlagen: {failed_count}. Übersprungen: {skipped_count}.'),
    ('import.completed.partial.title', 'Der Import von {podcast} ist unvollständig'),
    ('import.completed.partial.body',
      'Importierte Folgen: {completed_count}. Fehlgeschlagen: {failed_count}. Übersprungen: {skipped_count}. Im Import '
      'siehst du die Gründe und kannst es noch einmal versuchen.'),
    ('import.completed.action', 'Import ansehen'),
    ('import.failed.title', 'Der Import von {podcast} ist fehlgeschlagen'),
    ('import.failed.body', 'Im Import siehst du den Grund und kannst es noch einmal versuchen.'),
    ('import.failed.action', 'Import ansehen'),

    ('ownership_code.subject', 'Dein Bestätigungscode für {podcast}'),
    ('ownership_code.intro', 'Jemand importiert auf Castbase diesen Feed in „{podcast}“:'),
    ('ownership_code.body',
      'Der Feed ist gesperrt und nennt deine Adresse als Kontakt. Wenn du oder jemand, dem du den Podcast anvertraust, '
      'diesen Import gestartet hat, dann verwende diesen Code oder gib ihn weiter:'),
    ('ownership_code.note',
      'Der Code gilt bis {time}. Wenn du damit nicht gerechnet hast, ignoriere diese E-Mail: Ohne den Code kann nichts '
      'importiert werden.')
$$;
comment on function private.texts_de_of_imports is 'The German texts of this domain.';
