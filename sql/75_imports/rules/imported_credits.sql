-- The people that a feed names become credits. Credits have six roles, the Podcast Taxonomy about a hundred: people
-- with other roles are lost, not credited as guests.
create function private.credit_role_from_taxonomy(role text, "group" text) returns public.credit_role_label
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case regexp_replace(lower(coalesce(role, 'host')), '[^a-z]+', '', 'g')  -- the namespace's default is host
    when 'host' then 'Host'
    when 'cohost' then 'Co-host'
    when 'guest' then 'Guest'
    when 'producer' then 'Producer' when 'executiveproducer' then 'Producer' when 'associateproducer' then 'Producer'
    when 'composer' then 'Composer'
    when 'audioeditor' then 'Editor'
    -- the editor of the group Writing prepares scripts
    when 'editor' then case when coalesce("group", '') !~* 'writing' then 'Editor' end
  end::public.credit_role_label;
end $$;
comment on function private.credit_role_from_taxonomy is
  'The credit label for the role and group of a podcast:person, in any case and hyphenation; null when no label fits.';

create function private.imported_credits(persons jsonb, max_credits int, out accepted jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  path constant text := 'podcast:person';
begin
  losses := '[]';
  if jsonb_typeof(persons) is distinct from 'array' or persons = '[]' then
    return;
  end if;
  select nullif(a.accepted, '[]'), a.losses into accepted, losses
  from (
    select jsonb_agg(jsonb_build_object('path', path, 'key', p.name || ' ' || p.label, 'source', e.value,
      'excerpt', case when p.label is null or private.is_blank(p.name)
        then format('%s has the role %s, which credits do not know', p.name, e.value ->> 'role') else p.name end,
      'entry', case when p.label is not null and not private.is_blank(p.name) then jsonb_strip_nulls(
        jsonb_build_object('name', p.name, 'roleLabel', p.label,
          'avatarUrl', case when private.is_http_url(e.value ->> 'img') then e.value ->> 'img' end,
          'externalUrl', case when private.is_http_url(e.value ->> 'href') then e.value ->> 'href' end)) end,
      'losses', l.losses) order by e.n) as list
    from jsonb_array_elements(persons) with ordinality e (value, n)
    cross join lateral (
      select left(private.normalize_line(e.value ->> 'name'), 200) as name,
        private.credit_role_from_taxonomy(e.value ->> 'role', e.value ->> 'group') as label offset 0) p
    -- what our feed says of each label (functions/feed_writer/taxonomy.ts)
    left join (values ('Host', 'host', 'cast'), ('Co-host', 'cohost', 'cast'), ('Guest', 'guest', 'cast'),
      ('Producer', 'producer', 'creativedirection'), ('Composer', 'composer', 'audiopostproduction'),
      ('Editor', 'audioeditor', 'audiopostproduction')) t (label, role, "group") on t.label = p.label::text
    cross join lateral (
      select jsonb_agg(private.loss(path || v.attribute, v.reason, v.excerpt)) filter (where v.is_lost) as losses
      from (values
        ('', 'TRUNCATED', p.name, char_length(e.value ->> 'name') > 128),  -- as the feed shows it
        ('/@role', 'REPLACED_BY_OURS', e.value ->> 'role',
          regexp_replace(lower(e.value ->> 'role'), '[^a-z]+', '', 'g') <> t.role),
        ('/@group', 'REPLACED_BY_OURS', e.value ->> 'group',
          regexp_replace(lower(e.value ->> 'group'), '[^a-z]+', '', 'g') <> t."group"),
        ('/@img', 'INVALID', e.value ->> 'img', not private.is_http_url(e.value ->> 'img')),
        ('/@href', 'INVALID', e.value ->> 'href', not private.is_http_url(e.value ->> 'href'))
      ) v (attribute, reason, excerpt, is_lost)) l
  ) c
  cross join lateral private.accept_entries(c.list, max_credits) a;
end $$;
comment on function private.imported_credits is
  'The persons of a feed as credits [{name, roleLabel, avatarUrl?, externalUrl?}], at most max_credits, and as losses '
  '[{path, reason, excerpt}] what no credit holds: persons with another role, and values that a label replaces.';
