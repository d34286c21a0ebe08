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

    -- what the emails of a type are about, after a colon
    ('chat.message.label', 'messages about episodes'),
    ('chat.mention.label', 'mentions in messages'),
    ('inbox.digest.label', 'digests'),

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
      'code.'),

    ('unsubscribe.off_title', 'You''re unsubscribed'),
    ('unsubscribe.off_body',
      'We won''t send you these emails: {label}. Was this a mistake, or did your email program open the link by '
      'itself? Then turn them on again.'),
    ('unsubscribe.off_action', 'Turn emails on'),
    ('unsubscribe.podcast_off_body',
      '{podcast} no longer sends you these emails: {label}. Was this a mistake, or did your email program open '
      'the link by itself? Then turn them on again.'),
    ('unsubscribe.all_off_body',
      'Podcasts no longer send you these emails: {label}. Was this a mistake? Then turn them on again.'),
    ('unsubscribe.all_off_action', 'Turn off emails of all podcasts'),
    ('unsubscribe.on_title', 'You''re subscribed again'),
    ('unsubscribe.on_body', 'We''ll send you these emails: {label}.'),
    ('unsubscribe.podcast_on_body', '{podcast} will send you these emails again: {label}.'),
    ('unsubscribe.all_on_body',
      'Podcasts will send you these emails again: {label}. Those that you unsubscribed from one by one stay off.'),
    ('unsubscribe.rest_on_title', 'Emails of other podcasts are on again'),
    ('unsubscribe.rest_on_body',
      'Podcasts will send you these emails again: {label}. Those that you unsubscribed from one by one stay off, like '
      '{podcast}.'),
    ('unsubscribe.on_action', 'Turn emails off'),
    ('unsubscribe.blocked_title', 'These emails stay off'),
    ('unsubscribe.blocked_body',
      'Emails to your address were rejected or reported as spam, so we don''t send you any. If that''s wrong, '
      'confirm the address in your settings.'),
    ('unsubscribe.unknown_title', 'This link doesn''t work'),
    ('unsubscribe.unknown_body',
      'It may have expired, or it isn''t complete. You can change your notification settings in the app.')
$$;
comment on function private.texts_en_of_notifications is 'The English texts of this domain.';
