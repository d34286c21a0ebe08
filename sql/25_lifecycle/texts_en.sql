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
    ('podcast.deletion_scheduled.immediate.title', '{podcast} was deleted'),
    ('podcast.deletion_scheduled.immediate.body', '{actor} deleted the podcast and all its episodes.'),
    ('podcast.deletion_scheduled.action', 'Open Castbase'),
    ('podcast.deletion_canceled.title', '{podcast} won''t be deleted'),
    ('podcast.deletion_canceled.body', '{actor} canceled the deletion of the podcast.'),
    ('podcast.deletion_canceled.action', 'View podcast'),

    -- what the emails of a type are about, after a colon
    ('podcast.paused.label', 'paused podcasts'),
    ('podcast.unpaused.label', 'podcasts that become active again'),
    ('podcast.deletion_scheduled.label', 'podcasts that will be deleted'),
    ('podcast.deletion_canceled.label', 'canceled deletions of podcasts')
$$;
comment on function private.texts_en_of_lifecycle is 'The English texts of this domain.';
