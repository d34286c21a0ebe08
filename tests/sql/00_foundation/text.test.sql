-- Text helpers
begin;
select tests.start();

select is(private.encode_path_segment(segment), encoded, format('encode_path_segment(%L) returns %s', segment, encoded))
from (values
  ('night-trains_1.0~', 'night-trains_1.0~'), ('夜行', '%E5%A4%9C%E8%A1%8C'), ('a b/c?d#e%f', 'a%20b%2Fc%3Fd%23e%25f'),
  ('ß😀', '%C3%9F%F0%9F%98%80'), ('', '')) v (segment, encoded);
select is(private.encode_path_segment(null), null, 'encode_path_segment returns null for null');
select ok(private.is_blank(value), format('is_blank(%s) is true', to_json(value)))
from unnest(array['', ' ', E'\t\n', E'\u0001\u0007\u001f', E'\u007f\u0085\u009f', E'\u00a0\u200b\u200f\u2060\ufeff',
  E'\u00ad\u061c\u180e\u2066\u2069']) value;
select ok(not private.is_blank(value), format('is_blank(%s) is false', to_json(value)))
from unnest(array['a', E'\u0001a', '.', '夜', '😀', E'\u200b-']) value;
select is(private.invisible_characters(value), expected, format('invisible_characters(%s)', to_json(value)))
from (values (E' a\u00a0b\u200b.\n', E' \u00a0\u200b\n'), ('夜😀', ''), ('', ''), (null, null)) v (value, expected);
select is(private.comparable_title(a) = private.comparable_title(b), is_equal, format('comparable_title %s %L and %L',
  case when is_equal then 'does not distinguish' else 'distinguishes' end, a, b))
from (values
  (U&'Caf\00E9', U&'Cafe\0301', true),               -- a combining accent (NFD)
  (U&'Cafe\0301', U&'CAF\00C9', true),
  (U&'Cafe', U&'Caf\00E9', false),
  (U&'Stra\00DFe', U&'STRA\1E9EE', true),            -- ß, ẞ
  (U&'Stra\00DFe', 'STRASSE', true),
  (U&'STRA\1E9EE', 'strasse', true),
  (U&'\FB01nal', 'FINAL', true),                     -- the ligature fi
  (U&'\0149', U&'\02BCN', true),                     -- a letter whose larger form has two
  (U&'\01F0', U&'J\030C', true),
  (U&'\0130stanbul', 'istanbul', true),              -- İ
  (U&'\0130stanbul', U&'i\0307stanbul', true),       -- İ as JavaScript lowers it
  (U&'\039F\0394\039F\03A3', U&'\03BF\03B4\03BF\03C2', true),  -- a final sigma
  ('istanbul', U&'\0131stanbul', true),              -- ı, whose larger form is I
  (U&'A\00A0B', 'a b', true),
  (U&'\591C\884C\3000\0041', U&'\591C\884C A', true),  -- the space of Japanese keyboards
  (U&'Bonjour\202F!', 'Bonjour !', true), (U&'A\2003\2009B', E' a\t\n b ', true),
  (U&'Bob\2019s', 'Bob''s', true), (U&'Bob\00B4s', 'Bob`s', true), (U&'Bob\FF07s', U&'Bob\2032s', true),
  (U&'Bob\02BCs', U&'Bob\201Bs', true), ('Bob''s', 'Bobs', false), ('Bob''s', 'Bob"s', false),
  (U&'\201EA\201C', '"a"', true), (U&'\00ABA\00BB', U&'\2033a\301E', true), ('"a"', '''''a''''', false),
  (U&'A \2013 B', 'a - b', true), (U&'A\2011B\2212C', U&'a\2010b\FF0Dc', true), ('A-B', 'AB', false),
  ('A_B', 'A-B', false), (U&'A\301CB', U&'a\FF5Eb', true),  -- two characters of one Japanese key
  (U&'\2764\FE0F', U&'\2764', true),                 -- an emoji without its variation selector
  (U&'Na\00ADme\200B\200D\2060\180E', 'Name', true), (U&'\FEFFName', 'NAME', true),
  (U&'\+01F3F4\+0E0067\+0E0062\+0E0065\+0E006E\+0E0067\+0E007F',
    U&'\+01F3F4\+0E0067\+0E0062\+0E0073\+0E0063\+0E0074\+0E007F', false),  -- the flags of England and Scotland
  (U&'\FF21\FF11', 'a1', true), ('A & B', 'A B', false), ('A.', 'A', false), (U&'\+01F44D', U&'\+01F44E', false),
  (U&'\3164', '', false), (U&'\FE0F', '', false), (U&'\3164', U&'\FE0F', false), (U&'\3164', '  ', false),
  (U&'\3164', U&'\3164', true), (U&'\3164A', 'a', true), ('a', '', false),
  (U&'\65E5\672C', U&'\65E5\672C', true)) v (a, b, is_equal);

select is(private.comparable_title(value), folded, format('comparable_title folds %L', value))
from (values ('The  Show', 'the show'), (null, null), ('', ''), ('  ', '  '), ('A`b', 'a''b'), ('{|}~^_', '{|}~^_'))
  v (value, folded);
select is(char_length(private.comparable_title(repeat(U&'\FDFA', 1000))), 18000,
  'comparable_title makes a text at most 18 times as long');

select is(private.without_links(value), expected, format('without_links makes %L plain text', value))
from (values
  ('Night Trains', 'Night Trains'), ('S.O.S. 2.0 – Mr. Fox', 'S.O.S. 2.0 – Mr. Fox'),
  ('PayPal Security https://evil.test/login', 'PayPal Security'), ('HTTPS://EVIL.TEST now', 'now'),
  ('see (http://evil.test) here', 'see here'), ('javascript://x', null), ('mailto:a@evil.test', null),
  ('www.evil.test', null), ('Go to evil.test/login', 'Go to'), ('evil.test?x=1 y', 'y'), ('evil.test:8080', null),
  ('bob@evil.test', null), (U&'Node.js Weekly', U&'Node\2060.\2060js Weekly'),
  (U&'evil\3002com', U&'evil\2060\3002\2060com'), ('  ', null), (null, null)) v (value, expected);

select tests.podcast('夜行');
select is((select podcast_guid from public.podcasts where id = tests.id('夜行')),
  extensions.uuid_generate_v5(
    'ead4c236-bf58-58c6-a2c6-a6b28d128cb6', 'casts.test/functions/v1/public/feeds/%E5%A4%9C%E8%A1%8C.xml'),
  'the GUID of a podcast is derived from its percent-encoded feed URL');

select * from tests.finish();
rollback;
