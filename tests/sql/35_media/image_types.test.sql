-- image_types: limits and sizes of each type, the lookups and the formats.
begin;
select tests.start();

select results_eq($$ select name, formats, max_bytes, min_width, min_height, recommended_width, recommended_height,
  aspect_ratio::text, is_uploadable, is_importable from private.image_types order by name $$,
  $$ values
    ('banner', '{image/jpeg,image/png,image/webp}'::text[], 2097152, 600, 315, 1200, 630, '1.91', true, true),
    ('chapter', '{image/jpeg,image/png,image/webp}', 2097152, 300, 300, 1400, 1400, null, true, false),
    ('cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, '1', true, true),
    ('episode_cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, '1', true, false),
    ('header', '{image/jpeg,image/png,image/webp}', 2097152, 1200, 200, 1920, 300, '6.4', true, true),
    ('profile', '{image/jpeg,image/png,image/webp}', 2097152, 200, 200, 400, 400, '1', false, true) $$,
    'image_types holds six types with these limits and sizes');
update private.image_types set max_bytes = 1 where name = 'cover';
delete from private.image_types where name = 'banner';
select private.install();
select results_eq($$ select name, max_bytes from private.image_types where name in ('banner', 'cover') order by name $$,
  $$ values ('banner', 2097152), ('cover', 5242880) $$, 'private.install restores changed and deleted image types');
select throws_ok($$ insert into private.image_types values ('x', '{image/png}', 1, 100, 100, 99, 100, 1, true, true) $$,
  '23514', null, 'image_types rejects a recommended size below the minimum');
select throws_ok($$ insert into private.image_types values ('x', '{image/png}', 1, 1, 1, 1, 1, 0, true, true) $$,
  '23514', null, 'image_types rejects an aspect ratio of 0');

select is(tests.describe_error($$ select private.image_spec('artwork') $$),
  'PT400 / Invalid image type / One of: banner, chapter, cover, episode_cover, header, profile',
  'image_spec rejects an unknown type and lists the types');
select is(tests.describe_error('select private.image_spec(null)'),
  'PT400 / Invalid image type / One of: banner, chapter, cover, episode_cover, header, profile',
  'image_spec rejects null and lists the types');
select is(tests.describe_error($$ select private.uploadable_image_spec('profile') $$),
  'PT400 / Invalid image type / Images of type profile cannot be uploaded directly',
  'uploadable_image_spec rejects profile');
select is(tests.describe_error($$ select private.importable_image_spec('episode_cover') $$),
  'PT400 / Invalid image type / Images of type episode_cover cannot be imported',
  'importable_image_spec rejects episode_cover');
select is(tests.describe_error(format('select private.uploadable_image_spec(%L)', name)),
  case when is_uploadable then 'none'
  else 'PT400 / Invalid image type / Images of type profile cannot be uploaded directly' end,
  'uploadable_image_spec accepts uploadable types only: ' || name)
from private.image_types;
select results_eq($$ select private.image_extension(t)
  from unnest(array['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'IMAGE/PNG', null]) t $$,
  array['jpg', 'png', 'webp', null, null, null], 'image_extension returns an extension for the three formats only');

select is(tests.describe_error(format('select private.validate_image_format(private.image_spec(%L), %L)', t.name, f)),
  case when f = any (t.formats) then 'none'
    else format('PT400 / Invalid content type / INVALID_CONTENT_TYPE / Accepted for %s: %s', t.name,
      array_to_string(t.formats, ', ')) end,
  format('validate_image_format checks the formats of %s: %s', t.name, coalesce(f, 'null')))
from private.image_types t,
  unnest(array['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/jpg', 'IMAGE/PNG', '', null]) f;

select * from tests.finish();
rollback;
