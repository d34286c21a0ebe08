-- German texts.
create function private.texts_de_of_billing() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('billing.payment_failed.title', 'Deine Zahlung ist fehlgeschlagen'),
    ('billing.payment_failed.body',
      'Wir konnten den Betrag für den Tarif {plan} nicht abbuchen. Bitte prüfe deine Zahlungsmethode. Wir versuchen '
      'es noch einmal.'),
    ('billing.payment_failed.action', 'Abrechnung ansehen'),
    ('billing.plan_reduced.title', 'Dein Tarif ist jetzt {plan}'),
    ('billing.plan_reduced.body',
      'Er enthält {gigabytes} GB Speicher. Nichts wird gelöscht, aber mehr kannst du nur bis zu dieser Grenze '
      'hochladen.'),
    ('billing.plan_reduced.action', 'Abrechnung ansehen'),
    ('billing.subscription_ending.title', 'Dein Abo endet'),
    ('billing.subscription_ending.body',
      'Du hast keinen Podcast mehr, der es braucht. Deshalb wird es nach dem {period_end_date} nicht verlängert. Wenn '
      'du vorher einen Podcast behältst oder anlegst, läuft es weiter.'),
    ('billing.subscription_ending.action', 'Abrechnung ansehen')
$$;
comment on function private.texts_de_of_billing is 'The German texts of this domain.';
