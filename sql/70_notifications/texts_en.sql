-- English texts.
create function private.texts_en_of_notifications() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('name.member', 'Someone on the team'),  -- as {actor}, when the person is unknown
    ('name.podcast', 'a podcast'),  -- as {podcast}, when its title is nothing but links
    ('name.guest', 'A guest'),

    ('chat.message.title', '{actor} wrote about “{episode}”'),
    ('chat.message.body', '{excerpt}'),
    ('chat.message.action', 'View conversation'),
    ('chat.mention.title', '{actor} mentioned you in “{episode}”'),
    ('chat.mention.body', '{excerpt}'),
    ('chat.mention.action', 'View conversation'),
    ('chat.message.listed', '{actor}:'),  -- one of several messages about an episode
    ('chat.mention.listed', '{actor} mentioned you:'),
    ('chat.message.collapsed', '{count} new messages about “{episode}”'),
    ('chat.mention.collapsed', '{count} new messages about “{episode}”, with a mention of you'),
    ('email.more', 'And {count} more.'),

    ('inbox.digest.title', 'Your digest'),
    ('inbox.digest.body', 'What''s new in your podcasts.'),
    ('inbox.digest.collapsed', 'Your digest: {count} updates'),
    ('inbox.digest.action', 'Open Castbase'),

    ('email.settings', 'You get this email because of your notification settings on Castbase.'),
    ('email.address', 'You get this email because your address was entered on Castbase.'),
    ('email.podcast_address',
      'You get this email because your address was entered for {podcast}, a podcast on Castbase.'),
    ('email.guest', 'You get this email because you''re a guest of {podcast}.'),
    ('email.chat', 'You get this email because you''re on the team of {podcast}.'),
    ('email.essential', 'You get this email because it concerns a podcast of yours.'),
    ('email.essential_account', 'You get this email because it concerns your account.'),
    ('email.unsubscribe', 'Unsubscribe from these emails'),

    ('email_confirmation.subject', 'Your confirmation code'),
    ('email_confirmation.intro', 'Use this code to get emails from Castbase at this address again:'),
    ('email_confirmation.note',
      'The code is valid for one hour. If you didn''t ask for it, ignore this email; nothing changes without the '
      'code.')
$$;
comment on function private.texts_en_of_notifications is 'The English texts of this domain.';
