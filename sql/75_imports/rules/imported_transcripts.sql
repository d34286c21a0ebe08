-- The transcripts that a feed names for an episode.
create function private.imported_transcripts(transcripts jsonb, out accepted jsonb, out losses jsonb)
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  path constant text := 'podcast:transcript';
begin
  accepted := '[]';
  losses := '[]';
  if jsonb_typeof(transcripts) is distinct from 'array' or transcripts = '[]' then
    return;
  end if;
  select a.accepted, a.losses into accepted, losses
  from (
    select jsonb_agg(jsonb_build_object('path', path, 'excerpt', w.url,
      'entry', case when private.is_http_url(w.url) and coalesce(r.type, r.type_of_name) is not null
        then jsonb_strip_nulls(jsonb_build_object('url', w.url, 'type', coalesce(r.type, r.type_of_name),
          'language', r.language, 'rel', r.rel)) end,
      'losses', array_remove(array[
        case when w.type is not null and r.type is null then private.loss(path || '/@type', 'INVALID', w.type) end,
        case when w.language is not null and r.language is null
          then private.loss(path || '/@language', 'INVALID', w.language) end,
        case when w.rel is not null and r.rel is null then private.loss(path || '/@rel', 'INVALID', w.rel) end],
        null)) order by e.n) as list
    from jsonb_array_elements(transcripts) with ordinality e (value, n)
    cross join lateral (
      select e.value ->> 'url' as url, e.value ->> 'type' as type, e.value ->> 'rel' as rel,
        translate(e.value ->> 'language', '_', '-') as language offset 0) w
    cross join lateral (
      select case when t.type ~ '^[a-z]+/[a-z0-9.+-]+$' and char_length(t.type) <= 100 then t.type end as type,
        case substring(lower(w.url) from '\.([a-z]+)(?:[?#]|$)')
          when 'vtt' then 'text/vtt' when 'srt' then 'application/x-subrip' when 'json' then 'application/json'
          when 'html' then 'text/html' when 'txt' then 'text/plain' end as type_of_name,
        case when private.is_language_tag(w.language) then w.language end as language,
        case when w.rel = 'captions' then w.rel end as rel
      from private.normalize_transcript_type(w.type) t (type) offset 0) r
  ) c
  cross join lateral private.accept_entries(c.list, private.max_transcripts()) a;
end $$;
comment on function private.imported_transcripts is
  'The first max_transcripts transcripts [{url, type, language?, rel?}] of a feed''s item that have a URL and a type, '
  'in their order, and the losses [{path, reason, excerpt}].';
