-- validate_image: the checks in their order, with their messages.
begin;
select tests.start();

create function pg_temp.validate(type text, width bigint, height bigint, tolerance numeric default 0.02,
  bytes bigint default 1000, declared text default 'image/png', actual text default 'image/png') returns text
  language sql as $$
  select split_part(tests.describe_error(format('select private.validate_image(private.image_spec(%L), %L, %L, %L, %s)',
    type, declared, bytes, jsonb_build_object('type', actual, 'width', width, 'height', height), tolerance)), ' / ',
      2) $$;
select is(pg_temp.validate(type, width, height, tolerance), wanted,
  format('validate_image of a %s of %s x %s with tolerance %s: %s', type, width, height, tolerance,
  coalesce(nullif(wanted, ''), 'accepted')))
from (values
  ('cover', 1400, 1400, 0.02, ''), ('cover', 1399, 1400, 0.02, 'Image dimensions too small'),
  ('cover', 1400, 1399, 0.02, 'Image dimensions too small'),
  ('cover', 1428, 1400, 0.02, ''), ('cover', 1429, 1400, 0.02, 'Invalid aspect ratio'), ('cover', 1400, 1428, 0.02, ''),
  ('cover', 1400, 1429, 0.02, 'Invalid aspect ratio'),
  ('cover', 1470, 1400, 0.05, ''), ('cover', 1471, 1400, 0.05, 'Invalid aspect ratio'), ('cover', 1400, 1473, 0.05, ''),
  ('cover', 1400, 1474, 0.05, 'Invalid aspect ratio'),
  ('episode_cover', 1400, 1400, 0.02, ''), ('episode_cover', 1399, 1399, 0.02, 'Image dimensions too small'),
  ('episode_cover', 2856, 2800, 0.02, ''), ('episode_cover', 2857, 2800, 0.02, 'Invalid aspect ratio'),
  ('header', 1280, 200, 0.02, ''), ('header', 1200, 200, 0.02, 'Invalid aspect ratio'),
  ('header', 1199, 200, 0.02, 'Image dimensions too small'), ('header', 1280, 199, 0.02, 'Image dimensions too small'),
  ('header', 1568, 250, 0.02, ''), ('header', 1567, 250, 0.02, 'Invalid aspect ratio'), ('header', 1632, 250, 0.02, ''),
  ('header', 1633, 250, 0.02, 'Invalid aspect ratio'),
  ('header', 1520, 250, 0.05, ''), ('header', 1519, 250, 0.05, 'Invalid aspect ratio'), ('header', 1680, 250, 0.05, ''),
  ('header', 1681, 250, 0.05, 'Invalid aspect ratio'),
  ('banner', 600, 315, 0.02, ''), ('banner', 599, 315, 0.02, 'Image dimensions too small'),
  ('banner', 600, 314, 0.02, 'Image dimensions too small'),
  ('banner', 9359, 5000, 0.02, ''), ('banner', 9358, 5000, 0.02, 'Invalid aspect ratio'),
  ('banner', 9741, 5000, 0.02, ''), ('banner', 9742, 5000, 0.02, 'Invalid aspect ratio'),
  ('banner', 10028, 5000, 0.05, 'Invalid aspect ratio'), ('banner', 10027, 5000, 0.05, ''),
  ('banner', 9073, 5000, 0.05, ''), ('banner', 9072, 5000, 0.05, 'Invalid aspect ratio'),
  ('profile', 200, 200, 0.05, ''), ('profile', 199, 200, 0.05, 'Image dimensions too small'),
  ('profile', 210, 200, 0.05, ''), ('profile', 211, 200, 0.05, 'Invalid aspect ratio'),
  ('cover', 2147483647, 2147483647, 0.02, ''), ('cover', 2147483647, 1400, 0.02, 'Invalid aspect ratio'),
  ('cover', 0, 0, 0.02, 'Image dimensions too small'),
  ('cover', null, 1400, 0.02, 'Image dimensions too small'), ('cover', 1400, null, 0.02, 'Image dimensions too small')
) c (type, width, height, tolerance, wanted);
select is(pg_temp.validate(name, recommended_width, recommended_height), '',
  format('validate_image accepts a %s of the recommended size', name)) from private.image_types;
select is(pg_temp.validate(name, recommended_width, recommended_height, bytes => max_bytes), '',
  format('validate_image accepts a %s of max_bytes', name)) from private.image_types;
select is(pg_temp.validate(name, recommended_width, recommended_height, bytes => max_bytes + 1), 'File too large',
  format('validate_image rejects a %s of max_bytes + 1', name)) from private.image_types;
select is(pg_temp.validate('cover', 1400, 1400, bytes => bytes), 'The upload is empty',
  format('validate_image rejects an upload of %s bytes as empty', coalesce(bytes::text, 'unknown')))
  from unnest(array[0, -1, null]) bytes;
select is(pg_temp.validate('banner', 600, 315, declared => declared, actual => actual),
  case when declared = actual then '' else 'Invalid content type' end,
  format('validate_image compares the declared type %s with the data: %s', declared, coalesce(actual, 'no image')))
from unnest(array['image/jpeg', 'image/png', 'image/webp']) declared,
  unnest(array['image/jpeg', 'image/png', 'image/webp', 'image/gif', null]) actual;
select is(tests.describe_error($$ select private.validate_image(private.image_spec('cover'), 'image/png', 1, null,
  0.02) $$), 'PT400 / Invalid content type / INVALID_CONTENT_TYPE'
    ' / Declared as image/png, but the data is not a JPEG, PNG or WebP image',
  'validate_image rejects data that is not an image');
select is(tests.describe_error($$ select private.validate_image(private.image_spec('cover'), 'image/png', 5242881, null,
  0.02) $$), 'PT400 / File too large / FILE_TOO_LARGE / {"maxBytes": 5242880}',
  'validate_image returns maxBytes when a file is too large');
select is(tests.describe_error($$ select private.validate_image(private.image_spec('header'), 'image/png', 1,
  '{"type": "image/png", "width": 1200, "height": 200}', 0.02) $$),
  'PT400 / Invalid aspect ratio / INVALID_ASPECT_RATIO'
    ' / 1200 × 200 pixels; images of type header must have an aspect ratio of 6.4:1 (±2%)',
  'validate_image returns the size and the expected ratio for a wrong ratio');
select is(tests.describe_error($$ select private.validate_image(private.image_spec('cover'), 'image/png', 1,
  '{"type": "image/png", "width": 14, "height": 2000}', 0.02) $$),
  'PT400 / Image dimensions too small / DIMENSIONS_TOO_SMALL'
    ' / 14 × 2000 pixels; images of type cover must be at least 1400 × 1400',
  'validate_image returns the size and the minimum for an image that is too small');

-- the order of the checks
select is(pg_temp.validate('cover', 10, 99, bytes => 9999999, declared => 'image/webp'), 'Invalid content type',
  'validate_image checks the declared format first');
select is(pg_temp.validate('cover', 10, 99, bytes => 9999999, actual => 'image/webp'), 'File too large',
  'validate_image checks the size in bytes before the data''s format');
select is(pg_temp.validate('cover', 10, 99, actual => 'image/webp'), 'Invalid content type',
  'validate_image checks the data''s format before the size in pixels');
select is(pg_temp.validate('cover', 10, 99), 'Image dimensions too small',
  'validate_image checks the size in pixels before the ratio');

select * from tests.finish();
rollback;
