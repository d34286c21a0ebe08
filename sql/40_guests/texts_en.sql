-- English texts.
create function private.texts_en_of_guests() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('guest.invited.title', 'Guest invitation from {podcast}'),
    ('guest.invited.body',
      E'{actor} has invited you to be a guest on “{episode}”, an episode of {podcast}. View the invitation to '
      'accept or decline, and to message the team.\n\nThe link is personal and valid until {expires_date}. '
      'Anyone who has it can respond on your behalf, so please don''t share it.'),
    ('guest.invited.message', E'Message:\n{message}'),
    ('guest.invited.action', 'View invitation'),
    ('guest.accepted.title', '{guest} accepted the invitation'),
    ('guest.accepted.body', '{guest} is now a guest on “{episode}”, an episode of {podcast}.'),
    ('guest.accepted.action', 'View episode'),
    ('guest.declined.title', '{guest} declined the invitation'),
    ('guest.declined.body', '{guest} won''t be a guest on “{episode}”, an episode of {podcast}.'),
    ('guest.declined.action', 'View episode')
$$;
comment on function private.texts_en_of_guests is 'The English texts of this domain.';
