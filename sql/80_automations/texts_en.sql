-- English texts.
create function private.texts_en_of_automations() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('automation.failed.title', 'An automation of {podcast} failed'),
    ('automation.failed.body', '“{rule}” couldn''t finish. Open it to see why, and to try again.'),
    ('automation.failed.canceled.title', 'An automation of {podcast} was canceled'),
    ('automation.failed.canceled.body',
      '“{rule}” was canceled before it was done. Open it to see why, and to try again.'),
    ('automation.failed.action', 'View automation'),
    ('automation.webhook_disabled.title', 'A webhook of {podcast} is turned off'),
    ('automation.webhook_disabled.body',
      '{receiver} told us that the webhook of “{rule}” no longer exists there (410 Gone), so we''ve stopped sending '
      'it. Change its URL, or turn it on again.'),
    ('automation.webhook_disabled.action', 'View automation'),
    ('automation.email.title', '{podcast}'),  -- until its content is rendered
    ('automation.email.body', '{podcast}'),
    ('automation.email.action', 'View podcast'),
    ('automation.email.listen', 'Listen'),
    ('automation.email.to_team',
      'You get this email because you''re on the team of {podcast}, and its automation “{rule}” sends to you.'),
    ('automation.email.to_address',
      'You get this email because this address was confirmed for automatic emails of {podcast}.'),
    ('automation.email.to_booker', 'You get this email because you booked a session with {podcast}.'),
    ('automation.email.to_unverified_booker',
      'You get this email because someone booked a session with {podcast} with this address.'),
    ('automation.email.to_guest', 'You get this email because you''re a guest of {podcast}.'),
    ('automation.email.to_tester',
      'You get this email because you asked for a test of the automation “{rule}” of {podcast}. Only you get it.'),
    ('automation.email.test', '[Test] {subject}'),
    ('automation.address_requested.title', 'Receive emails of {podcast}?'),
    ('automation.address_requested.body',
      E'The team of {podcast} would like to send automatic emails to this address. You''ll get them only if you agree. '
      'Replies to such emails may come to this address, too.'
      '\n\nYou weren''t expecting this? Then ignore this email, or unsubscribe from such requests below.'),
    ('automation.address_requested.action', 'Confirm address')
$$;
comment on function private.texts_en_of_automations is 'The English texts of this domain.';
