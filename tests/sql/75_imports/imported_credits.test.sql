-- The people of a feed as credits.
begin;
select tests.start();

select is((select accepted from private.imported_credits('[{"name": "Jane  Doe", "role": "host", "group": "cast",
  "img": "https://a.example/j.jpg", "href": "https://a.example/"}, {"name": "Joe", "img": "ftp://x"},
  {"name": "Jane Doe", "role": "HOST"}, {"name": "Ann", "role": "Cover Art Designer", "group": "Visuals"},
  {"name": " ", "role": "host"}]', 9)), '[{"name": "Jane Doe", "roleLabel": "Host",
    "avatarUrl": "https://a.example/j.jpg", "externalUrl": "https://a.example/"},
    {"name": "Joe", "roleLabel": "Host"}]',
  'imported_credits keeps people with a known role, each once, without invalid URLs');
select is((select losses from private.imported_credits('[{"name": "Jane"}, {"name": "Jane"},
  {"name": "Ann", "role": "Cover Art Designer"}]', 9)), '[{"path": "podcast:person", "reason": "INVALID",
    "excerpt": "Ann has the role Cover Art Designer, which credits do not know"}]',
  'imported_credits reports people with other roles, but not duplicates');
select is((select losses from private.imported_credits(jsonb_build_array(
  '{"name": "Eve", "role": "Executive Producer", "group": "Creative Direction"}'::jsonb,
  '{"name": "Jim", "role": "co-host", "group": "Writing"}'::jsonb, '{"name": "Joe", "img": "ftp://x"}'::jsonb,
  '{"name": "Jane", "href": "https://a.example/"}'::jsonb, '{"name": "Jane"}'::jsonb,
  jsonb_build_object('name', repeat('n', 129))), 9)), jsonb_build_array(
  '{"path": "podcast:person/@role", "reason": "REPLACED_BY_OURS", "excerpt": "Executive Producer"}'::jsonb,
  '{"path": "podcast:person/@group", "reason": "REPLACED_BY_OURS", "excerpt": "Writing"}'::jsonb,
  '{"path": "podcast:person/@img", "reason": "INVALID", "excerpt": "ftp://x"}'::jsonb,
  '{"path": "podcast:person", "reason": "REPEATED", "excerpt": "Jane"}'::jsonb,
  jsonb_build_object('path', 'podcast:person', 'reason', 'TRUNCATED', 'excerpt', repeat('n', 129))),
  'imported_credits reports values that a credit replaces, rejects or truncates');
select is((select accepted::text || losses from private.imported_credits('[{"name": "A"}, {"name": "B"},
  {"name": "C"}]', 2)), '[{"name": "A", "roleLabel": "Host"}, {"name": "B", "roleLabel": "Host"}]'
  '[{"path": "podcast:person", "reason": "LIMIT", "excerpt": "C"}]',
  'imported_credits keeps as many credits as there is room for and reports the others');
select results_eq(format('select accepted, losses from private.imported_credits(%L, 9)', persons),
  $$ values (null::jsonb, '[]'::jsonb) $$, format('imported_credits of %s is empty', coalesce(persons, 'null')))
from unnest(array['[]', 'null', '{}', null]) persons;

select * from tests.finish();
rollback;
