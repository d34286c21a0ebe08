-- German texts.
create function private.texts_de_of_episodes() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('episode.published.title', '„{episode}“ ist online'),
    ('episode.published.body', 'Die neue Folge von {podcast} wurde veröffentlicht.'),
    ('episode.published.action', 'Folge ansehen')
$$;
comment on function private.texts_de_of_episodes is 'The German texts of this domain.';
