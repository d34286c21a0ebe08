-- Mentions: "@" and a display name in the body of a chat message.
create function private.comparable_mention(value text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  -- NFKC makes up to 18 characters of one, ordinary text at most twice as long
  select replace(private.comparable_title(left(normalize(
    regexp_replace($1, '[\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]+', '', 'g'),
    NFKC), 2 * char_length($1) + 100)), 'ß', 'ss')
$$;
comment on function private.comparable_mention is
  'Folds white space, letter case and Unicode forms (NFKC) of a text, and removes invisible characters such as marks '
  'of direction, to find names in it.';

-- Each "@", of the first 200, mentions the longest name that follows it. A letter, mark, digit or "_" before the "@"
-- makes it part of an email address, and one after the name makes that part of another word. Han, kana and Hangul do
-- neither, because they are written without spaces.
create function private.mentioned_recipients(body text, names text[]) returns int[]
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  is_word constant text :=  -- the collation counts symbols and emoji as [:punct:]
    '[^[:space:][:punct:][:cntrl:]\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U000323af]|_';
  folded  text := private.comparable_mention(body);
begin
  if strpos(folded, '@') = 0 then
    return '{}';
  end if;
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
      where p.n <= 200 and p.position < char_length(folded) and right(p.part, 1) collate pg_c_utf8 !~ is_word
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
