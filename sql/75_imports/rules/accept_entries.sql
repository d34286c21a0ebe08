-- What a list of ours takes of a list in a feed, and what the report says of the rest.
create function private.accept_entries(
  candidates jsonb, max_entries int, max_bytes int default null, out accepted jsonb, out losses jsonb)
language plpgsql immutable parallel safe security invoker set search_path = ''  -- keeps its plan between calls
as $$
begin
  with candidate as (
    select c.*, row_number() over same_key as nth, first_value(c.source) over same_key as first_source
    from rows from (jsonb_to_recordset(candidates) as (entry jsonb, key text, source jsonb, losses jsonb, path text,
      reason text, excerpt text)) with ordinality c (entry, key, source, losses, path, reason, excerpt, n)
    window same_key as (partition by c.entry is null, coalesce(c.key, c.n::text) order by c.n)
  ), ranked as (
    select c.*, row_number() over usable as rank, sum(octet_length(c.entry::text) + 2) over usable as bytes
    from candidate c
    window usable as (partition by c.entry is not null and c.nth = 1 order by c.n)
  ), judged as (
    select r.*, r.entry is not null and r.nth = 1 and r.rank <= max_entries
      and (r.bytes > max_bytes) is not true as is_kept
    from ranked r
  )
  select coalesce(jsonb_agg(j.entry order by j.n) filter (where j.is_kept), '[]'),
    coalesce(jsonb_path_query_array(jsonb_agg(coalesce(case
      when j.is_kept then j.losses
      when j.entry is null then private.loss(j.path, coalesce(j.reason, 'INVALID'), j.excerpt)
      when j.nth = 1 then private.loss(j.path, coalesce(j.reason, 'LIMIT'), j.excerpt)
      when j.source is distinct from j.first_source then private.loss(j.path, 'REPEATED', j.excerpt)
    end, '[]') order by j.n), '$[*][*]'), '[]')
  into accepted, losses
  from judged j;
end $$;
comment on function private.accept_entries is
  'Takes candidates [{entry, key?, source?, losses?, path, reason?, excerpt?}] in their order: those with an entry, '
  'the first of each key, at most max_entries and max_bytes of JSON. losses [{path, reason, excerpt?}] has '
  'those of accepted entries, and the other candidates, unless they repeat the source of an accepted one. reason '
  'replaces INVALID and LIMIT.';

-- Losses about money come first, where the podcaster sees them.
create function private.join_losses(earlier jsonb, later jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  max_losses constant int := 200;  -- as of the feed reader
  joined     jsonb := earlier || later;
begin
  if later @> '[{"reason": "MONEY"}]' then
    joined := jsonb_path_query_array(joined, '$[*] ? (@.reason == "MONEY")')
      || jsonb_path_query_array(joined, '$[*] ? (@.reason != "MONEY")');
  end if;
  if jsonb_array_length(joined) > max_losses then
    select jsonb_agg(l.loss order by l.n) filter (where l.n <= max_losses)
      || private.loss('*', 'LIMIT', format('%s more', sum(l.count) filter (where l.n > max_losses))) into joined
    from (
      select e.loss, case e.loss ->> 'path' when '*' then substring(e.loss ->> 'excerpt' from '^[0-9]{1,9}')::int
          else 1 end as count,
        row_number() over (order by e.loss ->> 'path' = '*', e.n) as n
      from jsonb_array_elements(joined) with ordinality e (loss, n)) l;
  end if;
  return joined;
end $$;
comment on function private.join_losses is
  'The losses of a channel or item: those about money first, at most 200, and the number of the others as path *.';
