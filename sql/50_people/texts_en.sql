-- English texts.
create function private.texts_en_of_people() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('episode.team_added.title', 'You''re on “{episode}”'),
    ('episode.team_added.body', '{actor} added you to the team of this episode of {podcast}.'),
    ('episode.team_added.action', 'View episode')
$$;
comment on function private.texts_en_of_people is 'The English texts of this domain.';
