-- English texts.
create function private.texts_en_of_media() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('billing.storage_high.title', 'Your storage is almost full'),
    ('billing.storage_high.body',
      'You use more than 80% of the {gigabytes} GB of your plan, {plan}.'),
    ('billing.storage_high.action', 'View storage'),
    ('billing.storage_full.title', 'Your storage is full'),
    ('billing.storage_full.body',
      'Your plan, {plan}, includes {gigabytes} GB. To upload more, delete files or choose a larger plan.'),
    ('billing.storage_full.action', 'View storage'),
    ('billing.storage_exceeded.title', 'You use more storage than your plan includes'),
    ('billing.storage_exceeded.body',
      'You use more than {used_gigabytes} GB, and your plan, {plan}, includes {gigabytes} GB. Nothing is deleted, but '
      'uploads are blocked until you delete files or choose a larger plan.'),
    ('billing.storage_exceeded.action', 'View storage')
$$;
comment on function private.texts_en_of_media is 'The English texts of this domain.';
