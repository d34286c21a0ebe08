-- The transcripts that a feed names for an episode.
create function private.imported_transcripts(transcripts jsonb, out accepted jsonb, out losses jsonb)
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  max_transcripts constant int := private.max_transcripts();
begin
  accepted := '[]';
  losses := '[]';
  if jsonb_typeof(transcripts) is distinct from 'array' or transcripts = '[]' then
    return;
  end if;
  with read as (
    select a.n, a.element, a.element ->> 'url' as url,
      case when private.is_language_tag(a.element ->> 'language') then a.element ->> 'language' end as language,
      case when a.element ->> 'rel' = 'captions' then 'captions' end as rel,
      private.normalize_transcript_type(coalesce(a.element ->> 'type',
        case substring(lower(a.element ->> 'url') from '\.([a-z]+)(?:[?#]|$)')
          when 'vtt' then 'text/vtt' when 'srt' then 'application/x-subrip' when 'json' then 'application/json'
          when 'html' then 'text/html' when 'txt' then 'text/plain' end)) as type
    from jsonb_array_elements(transcripts) with ordinality a (element, n)
  ), checked as (
    select r.*, (private.is_http_url(r.url) and r.type ~ '^[a-z]+/[a-z0-9.+-]+$'
      and char_length(r.type) <= 100) is true as is_valid
    from read r
  ), ranked as (
    select c.*, case when c.is_valid then row_number() over (partition by c.is_valid order by c.n) end as rank
    from checked c
  )
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('url', r.url, 'type', r.type, 'language', r.language,
      'rel', r.rel)) order by r.n) filter (where r.rank <= max_transcripts), '[]'),
    coalesce(jsonb_path_query_array(
      jsonb_agg(l.losses order by r.n) filter (where l.losses is not null), '$[*][*]'), '[]')
  into accepted, losses
  from ranked r
  cross join lateral (
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('path', 'podcast:transcript' || l.attribute,
      'reason', l.reason, 'excerpt', left(l.excerpt, 80)))) as losses
    from (values
      ('', case when r.is_valid then 'LIMIT' else 'INVALID' end, r.url, (r.rank <= max_transcripts) is not true),
      ('/@language', 'INVALID', r.element ->> 'language',
        r.rank <= max_transcripts and r.element ->> 'language' is distinct from r.language),
      ('/@rel', 'INVALID', r.element ->> 'rel',
        r.rank <= max_transcripts and r.element ->> 'rel' is distinct from r.rel)
    ) l (attribute, reason, excerpt, is_lost)
    where l.is_lost
  ) l;
end $$;
comment on function private.imported_transcripts is
  'The first max_transcripts transcripts [{url, type, language?, rel?}] of a feed''s item that have a URL and a type, '
  'in their order, and the losses [{path, reason, excerpt}].';
