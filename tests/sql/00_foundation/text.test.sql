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
  (U&'Stra\00DFe', 'STRASSE', false),
  (U&'\0130stanbul', 'istanbul', true),              -- İ
  (U&'\0130stanbul', U&'i\0307stanbul', true),       -- İ as JavaScript lowers it
  (U&'\039F\0394\039F\03A3', U&'\03BF\03B4\03BF\03C2', true),  -- a final sigma
  (U&'A\00A0B', 'a b', true),
  (U&'\65E5\672C', U&'\65E5\672C', true)) v (a, b, is_equal);

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
