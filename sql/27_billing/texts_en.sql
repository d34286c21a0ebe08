-- English texts.
create function private.texts_en_of_billing() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('billing.payment_failed.title', 'Your payment failed'),
    ('billing.payment_failed.body',
      'We couldn''t collect the payment for the plan {plan}. Please check your payment method; we''ll try again.'),
    ('billing.payment_failed.action', 'View billing'),
    ('billing.plan_reduced.title', 'Your plan is now {plan}'),
    ('billing.plan_reduced.body',
      'It includes {gigabytes} GB of storage. Nothing is deleted, but you can upload more only within that.'),
    ('billing.plan_reduced.action', 'View billing'),
    ('billing.subscription_ending.title', 'Your subscription ends'),
    ('billing.subscription_ending.body',
      'You have no podcast left that needs it, so it isn''t renewed after {period_end_date}. If you keep or create a '
      'podcast before, it continues.'),
    ('billing.subscription_ending.action', 'View billing')
$$;
comment on function private.texts_en_of_billing is 'The English texts of this domain.';
