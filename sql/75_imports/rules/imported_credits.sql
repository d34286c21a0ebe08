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

create function private.imported_credits(persons jsonb, out accepted jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  losses := '[]';
  if jsonb_typeof(persons) is distinct from 'array' or persons = '[]' then
    return;
  end if;
  with named as (
    select e.n, e.value, left(private.normalize_line(e.value ->> 'name'), 200) as name,
      private.credit_role_from_taxonomy(e.value ->> 'role', e.value ->> 'group') as role_label
    from jsonb_array_elements(persons) with ordinality e (value, n)
  ), credit as (
    select n.*, t.role, t."group", first_value(n.value) over same_credit as first_value,
      case when n.role_label is not null and not private.is_blank(n.name)
        then row_number() over same_credit end as nth
    from named n
    -- what our feed says of each label (functions/feed_writer/taxonomy.ts)
    left join (values ('Host', 'host', 'cast'), ('Co-host', 'cohost', 'cast'), ('Guest', 'guest', 'cast'),
      ('Producer', 'producer', 'creativedirection'), ('Composer', 'composer', 'audiopostproduction'),
      ('Editor', 'audioeditor', 'audiopostproduction')) t (label, role, "group") on t.label = n.role_label::text
    window same_credit as (partition by n.name, n.role_label order by n.n)
  )
  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', c.name, 'roleLabel', c.role_label,
      'avatarUrl', case when private.is_http_url(c.value ->> 'img') then c.value ->> 'img' end,
      'externalUrl', case when private.is_http_url(c.value ->> 'href') then c.value ->> 'href' end)) order by c.n)
      filter (where c.nth = 1),
    coalesce(jsonb_path_query_array(jsonb_agg(l.losses order by c.n), '$[*][*]'), '[]')
  into accepted, losses
  from credit c
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('path', 'podcast:person' || v.attribute, 'reason', v.reason,
      'excerpt', left(v.excerpt, 300))) filter (where v.is_lost), '[]') as losses
    from (values
      ('', 'INVALID', format('%s has the role %s, which credits do not know', c.name, c.value ->> 'role'),
        c.nth is null),
      ('', 'REPEATED', c.name, c.nth > 1 and c.value is distinct from c.first_value),
      ('', 'TRUNCATED', c.name, c.nth = 1 and char_length(c.value ->> 'name') > 128),  -- as the feed shows it
      ('/@role', 'REPLACED_BY_OURS', c.value ->> 'role', c.nth = 1
        and regexp_replace(lower(c.value ->> 'role'), '[^a-z]+', '', 'g') <> c.role),
      ('/@group', 'REPLACED_BY_OURS', c.value ->> 'group', c.nth = 1
        and regexp_replace(lower(c.value ->> 'group'), '[^a-z]+', '', 'g') <> c."group"),
      ('/@img', 'INVALID', c.value ->> 'img', c.nth = 1 and not private.is_http_url(c.value ->> 'img')),
      ('/@href', 'INVALID', c.value ->> 'href', c.nth = 1 and not private.is_http_url(c.value ->> 'href'))
    ) v (attribute, reason, excerpt, is_lost)
  ) l;
end $$;
comment on function private.imported_credits is
  'The persons of a feed as credits [{name, roleLabel, avatarUrl?, externalUrl?}], and as losses [{path, reason, '
  'excerpt}] what no credit holds: persons with another role, and values that a label replaces.';
