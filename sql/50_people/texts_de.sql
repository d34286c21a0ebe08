-- German texts.
create function private.texts_de_of_people() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('episode.team_added.title', 'Du bist bei „{episode}“ dabei'),
    ('episode.team_added.body', '{actor} hat dich zum Team dieser Folge von {podcast} hinzugefügt.'),
    ('episode.team_added.action', 'Folge ansehen')
$$;
comment on function private.texts_de_of_people is 'The German texts of this domain.';
