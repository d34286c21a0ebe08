-- Dates and times of texts: in the reader's time zone, language and region, as the Unicode CLDR writes them.
create function private.text_locale_of(_locale text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  language constant text := private.language_of(_locale);
  tag      constant text := upper(replace(_locale, '_', '-'));
  region   constant text := substring(tag from '^[A-Z]{2,8}(?:-[A-Z]{4})?-([A-Z]{2}|[0-9]{3})(?:-|$)');
begin
  return case
    when language = 'de' and region in ('AT', 'IT') then 'de-at'
    when language <> 'en' then language
    when region is null and tag ~ '^(?!EN(-|$))[A-Z]{2}' then 'en-150'  -- a reader of another language
    when region is null or region = any ('{AS,CA,GU,MH,MP,PH,PR,UM,US,VI}') then 'en'
    when region = any ('{001,AE,AG,AU,BB,BD,BM,BS,CY,DM,ER,FJ,FM,GD,GH,GM,GY,HK,IN,JM,KI,KN,KY,LC,LR,LS,MO,MW,MY,NA,'
      'NZ,PG,PK,PW,SB,SD,SG,SL,SS,SZ,TC,TO,TT,VC,VG,VU,WS,ZM}') then 'en-001'
    else 'en-150' end;
end $$;
comment on function private.text_locale_of is
  'The language of texts for a locale, with its region where that writes dates in another way: en (of the US), en-001 '
  '(of Australia and India), en-150 (of Europe, and of readers of other languages), de, de-at. language_of() returns '
  'its language.';

create function private.date_formats(text_locale text) returns jsonb
language plpgsql stable security definer  -- callers may not read the texts
set search_path = ''
as $$
declare
  language constant text := case  -- language_of() would take a query more
    when text_locale in ('en-001', 'en-150') then 'en' when text_locale = 'de-at' then 'de' else text_locale end;
  formats  constant jsonb := (
    select jsonb_object_agg(t.key, t.text) from private.texts t
    where t.locale = language
      and t.key in ('format.date', 'format.months', 'format.clock', 'format.time'));
begin
  return formats || case text_locale
    when 'en-001' then '{"format.date": "{day} {month} {year}", "format.clock": "FMHH12:MI am"}'
    when 'en-150' then '{"format.date": "{day} {month} {year}", "format.clock": "HH24:MI"}'
    when 'de-at' then jsonb_build_object('format.months', replace(formats ->> 'format.months', 'Januar ', 'Jänner '))
    else '{}' end;
end $$;
comment on function private.date_formats is
  'The texts format.* of a locale of texts: those of its language, or what its region has in their place.';

create function private.format_local_date(at timestamptz, zone text, formats jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  moment timestamp := at at time zone zone;
begin
  return private.render_text(formats ->> 'format.date', jsonb_build_object(
    'day', to_char(moment, 'FMDD'), 'year', to_char(moment, 'YYYY'),
    'month', split_part(formats ->> 'format.months', ' ', extract(month from moment)::int)));
end $$;
comment on function private.format_local_date is
  'The date of a moment in a time zone, in a format of date_formats().';

create function private.format_local_time(at timestamptz, zone text, formats jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  moment  constant timestamp := at at time zone zone;
  -- the hour that occurs twice when summer time ends
  twice   constant boolean := moment in (
    (at - interval '1 hour') at time zone zone, (at + interval '1 hour') at time zone zone);
  minutes constant int := extract(epoch from moment - (at at time zone 'UTC')) / 60;
begin
  return private.render_text(formats ->> 'format.time', jsonb_build_object(
    'time', to_char(moment, formats ->> 'format.clock'),
    'zone', zone || case when twice
      then format(', UTC%s:%s', to_char(minutes / 60, 'FMSG00'), to_char(abs(minutes) % 60, 'FM00')) else '' end));
end $$;
comment on function private.format_local_time is
  'The time of day of a moment in a time zone, named, in a format of date_formats(). A time that occurs twice on its '
  'day has its offset.';

create function private.text_params(payload jsonb, text_locale text, zone text default 'UTC') returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  params  jsonb := payload;
  formats jsonb;
  name    text;
  moment  text;
begin
  for name, moment in
    select left(p.key, -2), p.value from jsonb_each_text(payload) p
    where p.key like '%\_at' and pg_input_is_valid(p.value, 'timestamptz')
  loop
    formats := coalesce(formats, private.date_formats(text_locale));
    params := params || jsonb_build_object(
      name || 'date', private.format_local_date(moment::timestamptz, zone, formats),
      name || 'time', private.format_local_time(moment::timestamptz, zone, formats));
  end loop;
  return params;
end $$;
comment on function private.text_params is
  'The values of a payload as parameters of texts; its moment <name>_at is also <name>_date and <name>_time, in the '
  'zone and for the locale of texts.';
