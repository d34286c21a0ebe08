-- English texts.
create function private.texts_en_of_episodes() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('episode.published.title', '“{episode}” is out'),
    ('episode.published.body', 'The new episode of {podcast} has been published.'),
    ('episode.published.action', 'View episode')
$$;
comment on function private.texts_en_of_episodes is 'The English texts of this domain.';
