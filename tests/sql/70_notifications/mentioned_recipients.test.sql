-- mentioned_recipients: which of the recipients' names a chat message mentions.
begin;
select tests.start();

select is(private.mentioned_recipients(body, names), mentioned, 'mentioned_recipients ' || what)
from (values
  ('finds a name after "@"', 'Hi @Ann, are you there?', array['Ann', 'Bob'], '{1}'::int[]),
  ('ignores a name without "@"', 'Hi Ann', array['Ann'], '{}'),
  ('takes the longest name', '@Anna Maria rocks', array['Anna', 'Anna Maria', 'Maria'], '{2}'),
  ('takes a shorter name if the longer one is part of another word', '@Anna Marias mic', array['Anna', 'Anna Maria'],
    '{1}'),
  ('finds several names', '@Bob and @Ann', array['Ann', 'Bob', 'Cy'], '{1,2}'),
  ('ignores a name that begins another word', '@Annabel @Ann_lee @Ann7', array['Ann'], '{}'),
  ('ignores email addresses', 'ann@example.com and x_@Ann', array['example', 'Ann'], '{}'),
  ('finds names beside punctuation', '(@Ann) "@Bob" @Cy''s', array['Ann', 'Bob', 'Cy'], '{1,2,3}'),
  ('finds names beside emoji', '🎉@Ann🎉', array['Ann'], '{1}'),
  ('mentions all people with the same name', '@ANN', array['Ann', 'Bob', 'ann'], '{1,3}'),
  ('ignores letter case in all scripts', '@STRASSE @ΟΔΥΣΣΕΥΣ @ЖАННА @İLKER',
    array['Straße', 'Οδυσσευς', 'Жанна', 'ilker'], '{1,2,3,4}'),
  ('ignores Unicode forms', E'@Jose\u0301 ＠Ａｎｎ', array[U&'Jos\00e9', 'Ann'], '{1,2}'),
  ('ignores a name whose last letter has another combining mark', E'@Jose\u0301 @नम\u094d', array['Jose', 'नम'], '{}'),
  ('finds names with spaces of any kind', E'@Ann\u00a0Lee, @Bob \n Ray', array['Ann Lee', U&'Bob\00a0Ray'], '{1,2}'),
  ('finds names from right to left', 'שלום @דנה כהן. @كريم', array['דנה', 'דנה כהן', 'كريم'], '{2,3}'),
  ('ignores marks of direction', E'\u200f@\u2068דנה\u2069!', array['דנה'], '{1}'),
  ('finds names beside scripts without spaces', 'こんにちは@小林さん、@Annさん @민수야', array['小林', 'Ann', '민수'], '{1,2,3}'),
  ('takes the longest name in scripts without spaces', '@小林太郎です', array['小林', '小林太郎'], '{2}'),
  ('finds names with emoji, with and without their variation', E'@\U0001F399\uFE0F Lee', array[E'\U0001F399 Lee'],
    '{1}'),
  ('keeps joined emoji whole', E'@👩\u200d💻', array['👩', E'👩\u200d💻'], '{2}'),
  ('finds names with punctuation', '@O''Brien-Smith @Dr. J. @C++', array['O''Brien', 'O''Brien-Smith', 'Dr. J.', 'C++'],
    '{2,3,4}'),
  ('takes names as text, not as patterns', '@Ann @aab', array['A.n', '.*', 'a+b', '%', '@', '[a-z]+'], '{}'),
  ('finds names that begin with "@"', '@ann @@bob', array['@ann', '@bob', '@'], '{1,2}'),
  ('finds names that contain "@"', '@Ann (@night) here', array['Ann (@night)', 'Ann'], '{1}'),
  ('ignores "@" without a name', '@ @, @', array['Ann', '', null], '{}'),
  ('ignores names that are missing', '@Ann', array[null, '', E'\u200b', 'Ann'], '{4}'),
  ('takes any apostrophe as the same', E'@Mia O\u2019Neil @Bo D\u02bcArc @Cy L\uff07Oy @Ed O\u2018Dea @Al O\u00b4Hara',
    array['Mia O''Neil', 'Bo D''Arc', 'Cy L''Oy', 'Ed O''Dea', 'Al O`Hara'], '{1,2,3,4,5}'),
  ('finds a name before an apostrophe that is a letter', E'@Ann\u02bcs mic', array['Ann'], '{1}'),
  ('ignores "@" in URLs', 'https://video.example/@Ann example.com/@Ann https://x.example/?u=@Ann x.example/path/@Ann '
    || 'HTTPS://@Ann x.example:8080/@Ann (www.x.example/@Ann) x.example#@Ann https://a@x.example/@Ann/@Ann',
    array['Ann'], '{}'),
  ('finds names beside slashes', 'and/@Ann @Bob/@Cy 1/2/@Dr. Ed/@Flo', array['Ann', 'Bob', 'Cy', 'Dr. Ed', 'Flo'],
    '{1,2,3,4,5}'),
  ('finds names after a URL', '<https://x.example/>@Ann "x.example/"@Bob https://x.example/、@小林 x.example/ @Cy',
    array['Ann', 'Bob', '小林', 'Cy'], '{1,2,3,4}'),
  ('finds names that contain a host and a path', '@x.example/team hi', array['x.example/team'], '{1}'),
  ('finds a name after a Hebrew or Arabic letter', E'ול@דנה ל\u05b0@Ann لـ@كريم بِ@Bob',
    array['דנה', 'Ann', 'كريم', 'Bob'], '{1,2,3,4}'),
  ('ignores a name after a digit of Arabic', '٣@Ann ۳@Ann', array['Ann'], '{}'),
  ('finds the 200th "@" and ignores the next', repeat('@ ', 199) || '@Ann @Bob', array['Ann', 'Bob'], '{1}'),
  ('accepts no names', '@Ann', '{}', '{}')) t (what, body, names, mentioned);

select * from tests.finish();
rollback;
