-- German texts.
create function private.texts_de_of_podcasts() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('podcast.member_invited.title', 'Einladung ins Team von {podcast}'),
    ('podcast.member_invited.body', '{actor} hat dich eingeladen. Du kannst die Einladung annehmen oder ablehnen.'),
    ('podcast.member_invited.action', 'Einladung ansehen'),
    ('podcast.member_invited.address.title', 'Einladung ins Team von {podcast}'),
    ('podcast.member_invited.address.body',
      E'{actor} lädt dich auf Castbase ins Team des Podcasts „{podcast}“ ein. {role_can}\n\nUm anzunehmen, melde '
      'dich mit dieser E-Mail-Adresse an, {email}, oder registriere dich damit, wenn du neu bist. Die Einladung '
      'gilt bis zum {expires_date}.\n\nDu möchtest nicht mitmachen? Melde dich an, um abzulehnen und weitere '
      'Einladungen zu diesem Podcast zu blockieren, oder ignoriere diese E-Mail einfach: Ins Team kommst du nur, '
      'wenn du annimmst.'),
    ('podcast.member_invited.address.action', 'Einladung ansehen'),
    ('podcast.transfer_offered.title', 'Möchtest du {podcast} übernehmen?'),
    ('podcast.transfer_offered.body',
      '{actor} möchte dir den Podcast übertragen. Du kannst das Angebot annehmen oder ablehnen.'),
    ('podcast.transfer_offered.action', 'Angebot ansehen'),
    ('podcast.transfer_accepted.title', '{podcast} wurde übertragen'),
    ('podcast.transfer_accepted.body',
      '{actor} hat dein Angebot angenommen und besitzt jetzt den Podcast. Du bist ab sofort Admin.'),
    ('podcast.transfer_accepted.action', 'Podcast ansehen'),
    ('podcast.owner_email_needed.title', 'Trage deine E-Mail-Adresse bei {podcast} ein'),
    ('podcast.owner_email_needed.body',
      'Der Podcast gehört jetzt dir und nennt die Adresse des bisherigen Besitzers nicht mehr. Verzeichnisse und '
      'andere Hoster schicken Codes an die Adresse des Besitzers, um zu prüfen, wem ein Podcast gehört. Bitte trage '
      'deine in den Einstellungen des Podcasts ein.'),
    ('podcast.owner_email_needed.action', 'Podcast ansehen'),
    ('podcast.transfer_declined.title', '{podcast} bleibt bei dir'),
    ('podcast.transfer_declined.body', '{actor} hat dein Angebot abgelehnt, den Podcast zu übernehmen.'),
    ('podcast.transfer_declined.action', 'Podcast ansehen'),
    ('podcast.invitation_declined.title', 'Einladung zu {podcast} abgelehnt'),
    ('podcast.invitation_declined.body', '{email} hat deine Einladung ins Team abgelehnt.'),
    ('podcast.invitation_declined.action', 'Podcast ansehen'),
    ('podcast.member_joined.title', '{actor} ist jetzt im Team von {podcast}'),
    ('podcast.member_joined.body', 'Die Einladung wurde angenommen.'),
    ('podcast.member_joined.action', 'Podcast ansehen'),
    ('podcast.member_left.title', '{actor} hat das Team von {podcast} verlassen'),
    ('podcast.member_left.body', 'Der Podcast und seine Folgen bleiben, wie sie sind.'),
    ('podcast.member_left.action', 'Podcast ansehen'),
    ('podcast.member_removed.title', '{member} ist nicht mehr im Team von {podcast}'),
    ('podcast.member_removed.body', '{actor} hat {member} aus dem Team entfernt.'),
    ('podcast.member_removed.you.title', 'Du bist nicht mehr im Team von {podcast}'),
    ('podcast.member_removed.you.body', '{actor} hat dich aus dem Team entfernt.'),
    ('podcast.member_removed.action', 'Castbase öffnen'),
    ('podcast.member_role_changed.title', '{member} hat eine neue Rolle bei {podcast}'),
    ('podcast.member_role_changed.body', '{actor} hat die Rolle geändert.'),
    ('podcast.member_role_changed.admin.title', '{member} ist jetzt Admin von {podcast}'),
    ('podcast.member_role_changed.admin.body', '{actor} hat die Rolle geändert.'),
    ('podcast.member_role_changed.member.title', '{member} ist nicht mehr Admin von {podcast}'),
    ('podcast.member_role_changed.member.body', '{actor} hat die Rolle geändert, und {member} bleibt im Team.'),
    ('podcast.member_role_changed.you_admin.title', 'Du bist jetzt Admin von {podcast}'),
    ('podcast.member_role_changed.you_admin.body', '{actor} hat deine Rolle geändert.'),
    ('podcast.member_role_changed.you_member.title', 'Du bist nicht mehr Admin von {podcast}'),
    ('podcast.member_role_changed.you_member.body', '{actor} hat deine Rolle geändert. Du bleibst im Team.'),
    ('podcast.member_role_changed.action', 'Podcast ansehen'),

    ('team_role.member_can',
      'Als Mitglied siehst du den Podcast, seine Gäste und seine Folgen, schon bevor sie veröffentlicht sind.'),
    ('team_role.admin_can',
      'Als Admin kannst du den Podcast bearbeiten, Folgen veröffentlichen, Audiodateien hochladen und das Team '
      'verwalten.')
$$;
comment on function private.texts_de_of_podcasts is 'The German texts of this domain.';
