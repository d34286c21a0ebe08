-- English texts.
create function private.texts_en_of_imports() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('import.completed.title', 'The import of {podcast} is complete'),
    ('import.completed.body',
      'Episodes imported: {completed_count}. Failed: {failed_count}. Skipped: {skipped_count}.'),
    ('import.completed.partial.title', 'The import of {podcast} is incomplete'),
    ('import.completed.partial.body',
      'Episodes imported: {completed_count}. Failed: {failed_count}. Skipped: {skipped_count}. Open the import to see '
      'why, and to try again.'),
    ('import.completed.action', 'View import'),
    ('import.failed.title', 'The import of {podcast} failed'),
    ('import.failed.body', 'Open the import to see why, and to try again.'),
    ('import.failed.action', 'View import'),

    ('ownership_code.subject', 'Your verification code for {podcast}'),
    ('ownership_code.intro', 'Someone is importing this feed into “{podcast}” on Castbase:'),
    ('ownership_code.body',
      'The feed is locked and names you as its owner. If you started this import, or someone you trust with the '
      'podcast did, use or share this code:'),
    ('ownership_code.note',
      'The code expires at {time}. If you weren''t expecting this, ignore this email; nothing can be imported without '
      'the code.')
$$;
comment on function private.texts_en_of_imports is 'The English texts of this domain.';
