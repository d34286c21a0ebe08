-- German texts.
create function private.texts_de_of_media() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('billing.storage_high.title', 'Dein Speicher ist fast voll'),
    ('billing.storage_high.body',
      'Du nutzt mehr als 80 % der {gigabytes} GB deines Tarifs {plan}.'),
    ('billing.storage_high.action', 'Speicher ansehen'),
    ('billing.storage_full.title', 'Dein Speicher ist voll'),
    ('billing.storage_full.body',
      'Dein Tarif {plan} enthält {gigabytes} GB. Um mehr hochzuladen, lösche Dateien oder wähle einen größeren '
      'Tarif.'),
    ('billing.storage_full.action', 'Speicher ansehen'),
    ('billing.storage_exceeded.title', 'Du nutzt mehr Speicher, als dein Tarif enthält'),
    ('billing.storage_exceeded.body',
      'Du nutzt mehr als {used_gigabytes} GB, dein Tarif {plan} enthält {gigabytes} GB. Es wird nichts gelöscht, aber '
      'Uploads sind blockiert, bis du Dateien löschst oder einen größeren Tarif wählst.'),
    ('billing.storage_exceeded.action', 'Speicher ansehen')
$$;
comment on function private.texts_de_of_media is 'The German texts of this domain.';
