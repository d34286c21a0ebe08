-- The words of a search: of the texts that /v1 shows of episodes, and of what a listener types.
create function private.search_dictionary(language text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce((
    select d.name || '_stem' from (values ('ar', 'arabic'), ('ca', 'catalan'), ('da', 'danish'), ('de', 'german'),
      ('el', 'greek'), ('en', 'english'), ('es', 'spanish'), ('eu', 'basque'), ('fi', 'finnish'), ('fr', 'french'),
      ('ga', 'irish'), ('hi', 'hindi'), ('hu', 'hungarian'), ('hy', 'armenian'), ('id', 'indonesian'),
      ('it', 'italian'), ('lt', 'lithuanian'), ('nb', 'norwegian'), ('ne', 'nepali'), ('nl', 'dutch'),
      ('nn', 'norwegian'), ('no', 'norwegian'), ('pt', 'portuguese'), ('ro', 'romanian'), ('ru', 'russian'),
      ('sr', 'serbian'), ('sv', 'swedish'), ('ta', 'tamil'), ('tr', 'turkish'), ('yi', 'yiddish')) d (code, name)
    where d.code = lower(split_part($1, '-', 1))), 'simple')
$$;
comment on function private.search_dictionary is
  'Returns the name of the dictionary of Postgres that finds the stem of words in this language; simple keeps words.';

create function private.search_words(value text) returns text[]
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  -- Scripts without spaces between words, and Korean, whose particles follow without one: each character is a word
  single constant text := '[\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1100-\u11ff\u1780-\u17d3\u3005-\u3007\u3040-\u30ff'
    '\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]';
  words text := lower(normalize(value, NFKC) collate pg_c_utf8);
begin
  -- marks that are written or not, joiners, and the English possessive
  words := regexp_replace(words,
    '[\u00ad\u0300-\u036f\u0591-\u05bd\u0640\u064b-\u065f\u0670\u200b-\u200d\u2060]|[''’ʼ]s\M', '', 'g');
  if words ~ single then
    words := regexp_replace(words, '(' || single || ')', ' \1 ', 'g');
  end if;
  words := regexp_replace(words collate pg_c_utf8, '[^[:alnum:]\u0900-\u0dff\u0e01-\u109f\u1780-\u17d3]+', ' ', 'g');
  return array(select left(w, 64) from string_to_table(words, ' ') w where w <> '');
end $$;
comment on function private.search_words is
  'Returns the words of a text in order, in lower case, at most 64 characters of each. Each character of Chinese, '
  'Japanese, Korean, Thai, Lao, Burmese and Khmer is a word.';

create function private.search_lexeme(podcast_id uuid, word text) returns text
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
begin
  return left(podcast_id::text, 8) || translate(extensions.unaccent(word), ' ''\', '');
end $$;
comment on function private.search_lexeme is
  'Returns the entry of a word in the index, without accents. Each podcast has entries of its own, so that a search '
  'for the beginning of a word never walks through those of others.';

create function private.search_stems(podcast_id uuid, dictionary text, word text) returns text[]
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
declare
  plain constant text := extensions.unaccent(word);
begin
  -- Stemmers know accents, and some listeners type none. A stop word has no stem: "The Who" stays to be found.
  return array[
    private.search_lexeme(podcast_id, coalesce((ts_lexize(dictionary::regdictionary, word))[1], word)),
    private.search_lexeme(podcast_id, coalesce((ts_lexize(dictionary::regdictionary, plain))[1], plain))];
end $$;
comment on function private.search_stems is
  'Returns the entries of the stem of a word, as it is and without accents.';

create function private.search_vector(podcast_id uuid, dictionary text, value text) returns tsvector
language sql stable parallel safe security invoker set search_path = ''
as $$
  -- Postgres keeps positions up to 16,383 and a megabyte of lexemes, and rejects more
  with word as (
    select w.word, string_agg(w.n::text, ',') as places, min(w.n) as first_place
    from unnest((private.search_words($3))[:16000]) with ordinality w (word, n) group by w.word
  ), bounded as (
    select w.*, sum(3 * (octet_length(w.word) + 8)) over (order by w.first_place) as bytes from word w
  )
  select coalesce(string_agg(format('''%s'':%s', l.lexeme, w.places), ' '), '')::tsvector
  from (
    -- search_stems of the word and the word itself; without a call per word, and each dictionary once per word
    select b.places, array[
      extensions.unaccent(b.word),
      extensions.unaccent(coalesce((ts_lexize($2::regdictionary, b.word))[1], b.word)),
      extensions.unaccent(coalesce((ts_lexize($2::regdictionary, extensions.unaccent(b.word)))[1], b.word))] as stems
    from bounded b where b.bytes <= 600000
  ) w
  cross join lateral (
    select distinct left($1::text, 8) || translate(s.stem, ' ''\', '') as lexeme from unnest(w.stems) s (stem)) l
$$;
comment on function private.search_vector is
  'Returns the words of a text and their stems with their places: the first 16,000 words, at most 600,000 bytes of '
  'different ones.';

create function private.search_query(podcast_id uuid, dictionary text, q text) returns tsquery
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
declare
  typed constant text := private.normalize_line(q);
  units text[] := '{}';
  unit  text[];
  part  record;
begin
  if private.is_blank(typed) or char_length(typed) > 200 then
    raise sqlstate 'PT400' using message = 'q must have 1 to 200 characters';
  end if;
  for part in
    select m.match[1] as phrase, m.match[2] as chunk, m.n = count(*) over () as is_last
    from regexp_matches(translate(typed, '“”„', '"""'), '"([^"]*)"?|([^\s"]+)', 'g') with ordinality m (match, n)
    order by m.n
  loop
    unit := array(
      select format('(%s)', (
          select string_agg(distinct format('''%s''', s.lexeme), ' | ')
          from unnest(private.search_stems($1, $2, w.word)) s (lexeme))
        || case when part.is_last and part.chunk is not null and w.n = count(*) over () and char_length(w.word) > 1
          then format(' | ''%s'':*', private.search_lexeme($1, w.word)) else '' end)
      from unnest(private.search_words(coalesce(part.phrase, part.chunk))) with ordinality w (word, n) order by w.n);
    if unit <> '{}' then
      units := units || ('(' || array_to_string(unit, ' <-> ') || ')');
    end if;
  end loop;
  return array_to_string(units, ' & ')::tsquery;
end $$;
comment on function private.search_query is
  'Returns the query of a typed text: all words, those in quotes and those without a space between them in this order, '
  'and the last word also as the beginning of one. Matches nothing without a letter or digit. PT400.';
