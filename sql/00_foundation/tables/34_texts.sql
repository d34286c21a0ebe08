-- Texts of emails and notifications in each language. A domain's texts in a language are one function,
-- private.texts_<language>_of_<domain>(), in a file of its own; private.install_texts() copies what these functions
-- return into the table.
--
-- A notification type has title, body and action (its button), and an address.title and address.body if recipients
-- that are only an address read something else; an address.action is their button. A .location or .message beside a
-- body is appended to it if the payload has a location or message. The placeholders of these texts are the payload's
-- values (private.text_params)
-- and the names {podcast}, {episode}, {actor} and {guest}. German texts address the reader with "du", as products for
-- podcasters do.
create table private.texts (
  locale text not null,  -- BCP 47 in lower case: en, pt-br
  key    text not null,
  text   text not null,  -- with {placeholders}
  primary key (locale, key),
  constraint locale_is_lower_case_tag check (locale ~ '^[a-z]{2,8}(-[a-z0-9]{1,8})*$'),
  constraint key_is_dotted check (key ~ '^[a-z_]+(\.[a-z_]+)+$')
);
comment on table private.texts is
  'Texts of emails and notifications, by language and key. private.install_texts() writes the rows.';
alter table private.texts enable row level security;
-- No policy, no grant: definer functions and the worker read it.

create function private.install_texts() returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  language record;
begin
  for language in
    select replace(p.parts[1], '_', '-') as locale,
      string_agg(format('select * from private.%I()', p.proname), ' union all ') as all_texts
    from (
      select f.proname, regexp_match(f.proname, '^texts_([a-z_]+?)_of_') as parts
      from pg_catalog.pg_proc f where f.pronamespace = 'private'::regnamespace) p
    where p.parts is not null
    group by 1
  loop
    execute format($install$
      with source as (%s), deleted as (
        delete from private.texts t where t.locale = $1 and t.key not in (select s.key from source s))
      insert into private.texts as t (locale, key, text) select $1, s.key, s.text from source s
      on conflict (locale, key) do update set text = excluded.text where t.text <> excluded.text
      $install$, language.all_texts) using language.locale;
  end loop;
end $$;
comment on function private.install_texts is
  'Part of private.install(): writes the texts of each function private.texts_<language>_of_<domain>().';

create function private.language_of(_locale text) returns text
language plpgsql stable security definer  -- callers may not read the texts
set search_path = ''
as $$
declare
  tag text := lower(replace(_locale, '_', '-'));
begin
  while tag <> '' and not exists (select from private.texts t where t.locale = tag) loop
    tag := substring(tag from '^(.*)-[^-]*$');
  end loop;
  return coalesce(nullif(tag, ''), 'en');
end $$;
comment on function private.language_of is
  'The language of texts for a locale (BCP 47): its own, that of a shorter tag (de for de-AT), else en.';

create function private.get_text(_language text, _key text) returns text
language plpgsql stable security definer  -- callers may not read the texts
set search_path = ''
as $$
declare
  found_text text := (
    select t.text from private.texts t where t.locale = _language and t.key = _key);
begin
  if found_text is null then
    raise sqlstate 'PT500' using message = format('Text %L is missing in %L', _key, _language);
  end if;
  return found_text;
end $$;
comment on function private.get_text is 'A text of a language, as language_of() returns it. PT500 if it is missing.';

create function private.render_text(template text, params jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return (
    select coalesce(string_agg(
      case when m.part[1] ~ '^\{[a-z_]+\}$' then coalesce(params ->> btrim(m.part[1], '{}'), '') else m.part[1] end,
      '' order by m.n), '')
    from regexp_matches(template, '\{[a-z_]+\}|[^{]+|\{', 'g') with ordinality m (part, n));
end $$;
comment on function private.render_text is
  'Fills the {placeholders} of a text in one pass: values are never expanded. A missing value is empty.';

create function private.shorten_text(value text, max_length int) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case when char_length($1) > $2 then rtrim(left($1, $2 - 1)) || '…' else $1 end;
comment on function private.shorten_text is 'Cuts a text to max_length characters; the last one is then an ellipsis.';

create function private.is_timezone(name text) returns boolean
language plpgsql stable strict parallel safe security invoker set search_path = ''
as $$
begin
  -- The lists are complete: IANA adds no areas, and no names outside of them. The database also knows abbreviations
  -- (PDT), POSIX rules (Mars/Base5) and names of its own (SystemV/EST5, Factory), which browsers reject.
  if (case
    when strpos(name, '/') = 0 then lower(name) = any ('{cet,cst6cdt,cuba,eet,est,est5edt,egypt,eire,gb,gb-eire,gmt,
      gmt0,gmt+0,gmt-0,greenwich,hst,hongkong,iceland,iran,israel,jamaica,japan,kwajalein,libya,met,mst,mst7mdt,nz,
      nz-chat,navajo,prc,pst8pdt,poland,portugal,roc,rok,singapore,turkey,uct,utc,universal,w-su,wet,zulu}'::text[])
    when name ~* '^etc/' then
      name ~* '^etc/(?:gmt(?:0|[+]\d|[+]1[0-2]|-\d|-1[0-4])?|utc|uct|universal|zulu|greenwich)$'
    else lower(split_part(name, '/', 1)) = any ('{africa,america,antarctica,arctic,asia,atlantic,australia,brazil,
      canada,chile,europe,indian,mexico,pacific,us}'::text[]) and name ~ '^[A-Za-z_/-]+$'
    end) is not true
  then
    return false;
  end if;
  perform 'epoch'::timestamptz at time zone name;
  return true;
exception when invalid_parameter_value then
  return false;
end $$;
comment on function private.is_timezone is
  'Whether a text is the name of a time zone (IANA) that the database and browsers know. Abbreviations, such as PDT, '
  'are not.';
grant execute on function private.is_timezone to authenticated, service_role;  -- triggers run as the writer

create function private.normalize_timezone(name text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case upper($1) when 'CET' then 'Europe/Brussels' when 'MET' then 'Europe/Brussels'
  when 'EET' then 'Europe/Athens' when 'WET' then 'Europe/Lisbon' else $1 end;
comment on function private.normalize_timezone is
  'The zone to store for a name: four names are abbreviations without summer time to the database, and links to these '
  'zones in browsers.';
grant execute on function private.normalize_timezone to authenticated, service_role;  -- triggers run as the writer

create function private.timezone_or_utc(name text) returns text
language sql stable parallel safe security invoker set search_path = ''
return case when $1 <> 'UTC' and private.is_timezone($1) then $1 else 'UTC' end;
comment on function private.timezone_or_utc is
  'A stored time zone, or UTC if the database does not know it: an update of Postgres can drop names.';
