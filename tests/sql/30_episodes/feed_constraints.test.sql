-- Podcasts and episodes reject values that a feed cannot carry: languages, media, texts about AI.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('one', 'show');
create function pg_temp.update_show(change text, value text) returns text language sql as $$
  select tests.result_of('ola', format('update public.podcasts set %I = %L where id = tests.id(''show'')', change,
    value))
$$;
select is(pg_temp.update_show('language', tag), 'ok 1', format('podcasts accepts the language %s', tag))
from unnest(array['en', 'de-AT', 'zh-Hans-TW', 'es-419', 'sl-rozaj', 'x-own', 'haw', 'EN-gb']) tag;
select is(pg_temp.update_show('language', tag), '23514', format('podcasts rejects the language %L', tag))
from unnest(array['', 'e', 'en_US', 'en-', 'english-', '1n', 'en--GB', 'toolonglang', 'en ', 'en-x-' || repeat('a',
  40)]) tag;
select is(pg_temp.update_show('medium', medium), outcome, format('podcasts returns %s for the medium %s', outcome,
  medium))
from (values ('mixed', 'ok 1'), ('mixedL', '23514'), ('radio', '23514'), ('Music', '23514'), ('', '23514'))
  m (medium, outcome);
select is(pg_temp.update_show('medium', medium || list), 'ok 1',
  format('podcasts accepts the medium %s', medium || list))
from unnest('{podcast,music,video,film,audiobook,newsletter,blog,publisher,course}'::text[]) medium,
  unnest(array['', 'L']) list;
select is(
  pg_temp.update_show('verify_texts', jsonb_build_array(jsonb_build_object('purpose', 'ai-content', 'text',
    value))::text),
  outcome, format('podcasts returns %s for the ai-content %s', outcome, value))
from (values ('true', 'ok 1'), ('false', 'ok 1'), ('Music only', 'PT400'), ('TRUE', 'PT400')) t (value, outcome);

select * from tests.finish();
rollback;
