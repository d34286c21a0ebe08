-- The people of a feed as credits.
begin;
select tests.start();

select is((select accepted from private.imported_credits('[{"name": "Jane  Doe", "role": "host", "group": "cast",
  "img": "https://a.example/j.jpg", "href": "https://a.example/"}, {"name": "Joe", "img": "ftp://x"},
  {"name": "Jane Doe", "role": "HOST"}, {"name": "Ann", "role": "Cover Art Designer", "group": "Visuals"},
  {"name": " ", "role": "host"}]')), '[{"name": "Jane Doe", "roleLabel": "Host",
    "avatarUrl": "https://a.example/j.jpg", "externalUrl": "https://a.example/"},
    {"name": "Joe", "roleLabel": "Host"}]',
  'imported_credits keeps people with a known role, each once, without invalid URLs');
select is((select losses from private.imported_credits('[{"name": "Jane"}, {"name": "Jane"},
  {"name": "Ann", "role": "Cover Art Designer"}]')), '[{"path": "podcast:person", "reason": "INVALID",
    "excerpt": "Ann has the role Cover Art Designer, which credits do not know"}]',
  'imported_credits reports people with other roles, but not duplicates');
select results_eq(format('select accepted, losses from private.imported_credits(%L)', persons),
  $$ values (null::jsonb, '[]'::jsonb) $$, format('imported_credits of %s is empty', coalesce(persons, 'null')))
from unnest(array['[]', 'null', '{}', null]) persons;

select * from tests.finish();
rollback;
