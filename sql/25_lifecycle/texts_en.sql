-- English texts.
create function private.texts_en_of_lifecycle() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('podcast.paused.title', '{podcast} is paused'),
    ('podcast.paused.body',
      '{actor} paused the podcast. It stays public, and becomes active again by {pause_expires_date} at the latest.'),
    ('podcast.paused.action', 'View podcast'),
    ('podcast.unpaused.title', '{podcast} is active again'),
    ('podcast.unpaused.body', 'The pause of the podcast has ended.'),
    ('podcast.unpaused.action', 'View podcast'),
    ('podcast.deletion_scheduled.title', '{podcast} will be deleted'),
    ('podcast.deletion_scheduled.body',
      '{actor} scheduled the podcast and all its episodes for deletion on {deletion_scheduled_date}. '
      'Until then, its owner can cancel the deletion.'),
    ('podcast.deletion_scheduled.action', 'Open Castbase'),
    ('podcast.deleted.title', '{podcast} was deleted'),
    ('podcast.deleted.body', 'The podcast and all its episodes were deleted, as scheduled.'),
    ('podcast.deleted.at_once.title', '{podcast} was deleted'),
    ('podcast.deleted.at_once.body', '{actor} deleted the podcast and all its episodes.'),
    ('podcast.deleted.action', 'Open Castbase'),
    ('podcast.deletion_near.title', '{podcast} will be deleted in a week'),
    ('podcast.deletion_near.body',
      'The podcast and all its episodes will be deleted on {ends_date}. Until then, its owner can cancel the '
      'deletion.'),
    ('podcast.deletion_near.tomorrow.title', '{podcast} will be deleted tomorrow'),
    ('podcast.deletion_near.tomorrow.body',
      'The podcast and all its episodes will be deleted on {ends_date} at {ends_time}. Until then, its owner can '
      'cancel the deletion.'),
    ('podcast.deletion_near.action', 'Open Castbase'),
    ('podcast.redirect_changed.title', 'The feed of {podcast} leads to another address'),
    ('podcast.redirect_changed.body',
      '{actor} changed where the feed sends apps and listeners: {redirect_url}. If you don''t know this address, '
      'change the redirect, or ask the owner of the podcast.'),
    ('podcast.redirect_changed.held_back.title', 'The feed of {podcast} will lead to another address'),
    ('podcast.redirect_changed.held_back.body',
      '{actor} changed where the feed sends apps and listeners: from {starts_date} at {starts_time} on, to '
      '{redirect_url}. If you don''t know this address, change the redirect before, or ask the owner of the podcast.'),
    ('podcast.redirect_changed.taken_over.title', 'The feed of {podcast} leads to another address'),
    ('podcast.redirect_changed.taken_over.body',
      'The podcast is yours now, and its feed leads apps and listeners to {redirect_url}. If you don''t know this '
      'address, change the redirect.'),
    ('podcast.redirect_changed.ended.title', 'The feed of {podcast} no longer leads elsewhere'),
    ('podcast.redirect_changed.ended.body', '{actor} ended the redirect.'),
    ('podcast.redirect_changed.action', 'Open Castbase'),
    ('podcast.redirect_failing.title', 'The redirect of {podcast} leads nowhere'),
    ('podcast.redirect_failing.body',
      'The feed of the podcast sends apps and listeners to {redirect_url}, where no feed can be read. '
      'Repair the feed there, or change the redirect.'),
    ('podcast.redirect_failing.other_podcast.title', 'The redirect of {podcast} leads to another podcast'),
    ('podcast.redirect_failing.other_podcast.body',
      'The feed of the podcast sends apps and listeners to {redirect_url}, whose feed has none of its episodes. If '
      'that isn''t what you want, change the redirect.'),
    ('podcast.redirect_failing.target_ends.title', 'The redirect of {podcast} will lead nowhere'),
    ('podcast.redirect_failing.target_ends.body',
      'The feed of the podcast sends apps and listeners to {redirect_url}, the feed of a podcast that will be deleted. '
      'Change the redirect, or let that podcast redirect too.'),
    ('podcast.redirect_failing.action', 'Open Castbase'),
    ('podcast.pause_ending.title', 'The pause of {podcast} ends in a week'),
    ('podcast.pause_ending.body',
      'The podcast becomes active again on {ends_date}, and your subscription is billed again from then on. If it was '
      'due for renewal during the pause, it''s renewed that day.'),
    ('podcast.pause_ending.action', 'View podcast'),
    ('podcast.deletion_canceled.title', '{podcast} won''t be deleted'),
    ('podcast.deletion_canceled.body', '{actor} canceled the deletion of the podcast.'),
    ('podcast.deletion_canceled.action', 'View podcast')
$$;
comment on function private.texts_en_of_lifecycle is 'The English texts of this domain.';
