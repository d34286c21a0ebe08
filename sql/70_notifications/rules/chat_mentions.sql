-- Mentions: "@" and a display name in the body of a chat message.
create function private.comparable_mention(value text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select left(private.comparable_title($1), 2 * char_length($1) + 100)  -- ordinary text is at most twice as long
$$;
comment on function private.comparable_mention is 'Folds a text as comparable_title does, to find names in it.';

create function private.without_mentions_in_urls(folded text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  -- a scheme, or a host with a dot and what follows it: "and/@Ann" is none
  is_url constant text := '[[:alnum:]]://|[[:alnum:]]\.[[:alpha:]][[:alnum:]-]+(:[0-9]+)?[/?#]';
begin
  if folded !~ is_url then
    return folded;
  end if;
  return (
    select string_agg(case when u.start = 0 then m.parts[1]
      else left(m.parts[1], u.start) || replace(substr(m.parts[1], u.start + 1), '@', '/') end || m.parts[2], ''
      order by m.n)
    -- neither these quotes and brackets nor ideographic punctuation are in a URL
    from regexp_matches(folded, '([^ <>"\u3001\u3002\u300c-\u300f]*)([ <>"\u3001\u3002\u300c-\u300f]*)', 'g')
      with ordinality m (parts, n)
    cross join lateral (select regexp_instr(m.parts[1], is_url) as start) u);
end $$;
comment on function private.without_mentions_in_urls is
  'Replaces each "@" of a URL, with or without a scheme, in a text as comparable_mention returns it.';

-- Each "@" outside of URLs, of the first 200, mentions the longest name that follows it. A letter, mark, digit or "_"
-- before the "@" makes it part of an email address, and one after the name makes that part of another word. Han, kana
-- and Hangul do neither, because they are written without spaces. Hebrew and Arabic letters may come before the "@",
-- because these scripts attach prepositions to the next word.
create function private.mentioned_recipients(body text, names text[]) returns int[]
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  is_word   constant text :=  -- the collation counts symbols and emoji as [:punct:]
    '[^[:space:][:punct:][:cntrl:]\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U000323af]|_';
  is_prefix constant text := '[\u0591-\u05f4\u0610-\u065f\u066e-\u06ef\u06fa-\u06ff\u0750-\u077f\u0870-\u08ff]';
  folded    text := private.comparable_mention(body);
begin
  if strpos(folded, '@') = 0 then
    return '{}';
  end if;
  folded := private.without_mentions_in_urls(folded);
  return coalesce((
    with candidate as materialized (
      select c.place, f.name, char_length(f.name) as length
      from unnest(names) with ordinality c (name, place)
      cross join lateral (select ltrim(private.comparable_mention(c.name), '@ ') as name) f
      where f.name <> ''
    ), part as (
      select p.part, p.n, sum(char_length(p.part) + 1) over (order by p.n)::int as position  -- of the "@" behind it
      from unnest(string_to_array(folded, '@')) with ordinality p (part, n)
    ), tail as materialized (
      select distinct substr(folded, p.position + 1, (select max(c.length) + 1 from candidate c)) as text
      from part p
      where p.n <= 200 and p.position < char_length(folded)
        and (right(p.part, 1) collate pg_c_utf8 !~ is_word or right(p.part, 1) ~ is_prefix)
    ), mentioned as (
      select distinct on (t.text) c.name
      from tail t join candidate c on left(c.name, 1) = left(t.text, 1) and starts_with(t.text, c.name)
      where substr(t.text, c.length + 1, 1) collate pg_c_utf8 !~ is_word
      order by t.text, c.length desc
    )
    select array_agg(c.place order by c.place) from candidate c where c.name in (select m.name from mentioned m)
  ), '{}');
end $$;
comment on function private.mentioned_recipients is
  'The places, from 1, of the names that a message mentions. People with the same name are all mentioned.';
