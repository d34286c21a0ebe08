-- Text and addresses.
begin;
select tests.start();

select is(private.encode_path_segment(given), wanted, format('%s in a path is %s', given, wanted)) from (values
  ('night-trains_1.0~', 'night-trains_1.0~'), ('夜行', '%E5%A4%9C%E8%A1%8C'), ('a b/c?d#e%f', 'a%20b%2Fc%3Fd%23e%25f'), ('ß😀', '%C3%9F%F0%9F%98%80'), ('', '')) v (given, wanted);
select is(private.encode_path_segment(null), null, 'nothing stays nothing');
select ok(private.is_blank(words), format('%s is blank', to_json(words))) from unnest(array['', ' ', E'\t\n', E'\u0001\u0007\u001f', E'\u007f\u0085\u009f', E'\u00a0\u200b\u200f\u2060\ufeff', E'\u00ad\u061c\u180e\u2066\u2069']) words;
select ok(not private.is_blank(words), format('%s is not', to_json(words))) from unnest(array['a', E'\u0001a', '.', '夜', '😀', E'\u200b-']) words;
select is(private.invisible_characters(words), wanted, format('what cannot be seen of %s', to_json(words))) from (values (E' a\u00a0b\u200b.\n', E' \u00a0\u200b\n'), ('夜😀', ''), ('', ''), (null, null)) v (words, wanted);
select tests.podcast('夜行');
select is((select podcast_guid from public.podcasts where id = tests.id('夜行')),
  extensions.uuid_generate_v5('ead4c236-bf58-58c6-a2c6-a6b28d128cb6', 'casts.test/functions/v1/public/feeds/%E5%A4%9C%E8%A1%8C.xml'),
  'the podcast''s GUID is made from its feed''s address as apps see it');

select * from tests.finish();
rollback;
