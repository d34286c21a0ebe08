-- Dates and times of texts, in the reader's time zone, language and region
begin;
select tests.start();

-- text_locale_of
select is(private.text_locale_of(locale), expected, format('the locale of texts for %s is %s', locale, expected))
from (values
  ('en', 'en'), ('en-US', 'en'), ('en_CA', 'en'), ('en-GB', 'en-150'), ('EN-gb', 'en-150'), ('en-Latn-IE', 'en-150'),
  ('en-GB-oxendict', 'en-150'), ('en-u-hc-h23', 'en'), ('en-AU', 'en-001'), ('en-IN', 'en-001'), ('en-001', 'en-001'),
  ('en-150', 'en-150'), ('de', 'de'), ('de-DE', 'de'), ('de-CH', 'de'), ('de-AT', 'de-at'), ('de_at', 'de-at'),
  ('fr', 'en-150'), ('fr-FR', 'en-150'), ('es-US', 'en'), ('x', 'en'), ('', 'en'), (null, 'en')) v (locale, expected);
select is(private.text_locale_of(private.text_locale_of(locale)), private.text_locale_of(locale),
  format('text_locale_of returns its own result for that of %s', locale))
from unnest(array['en', 'en-GB', 'en-AU', 'de', 'de-AT', 'fr']) locale;
select is(private.language_of(private.text_locale_of(locale)), private.language_of(locale),
  format('language_of returns the language of the locale of texts for %s', locale))
from unnest(array['en', 'en-GB', 'en-AU', 'de', 'de-AT', 'fr']) locale;

-- Dates and times
select is(private.format_local_date('2026-12-31T23:30:00Z', zone, f) || ', '
    || private.format_local_time('2026-12-31T23:30:00Z', zone, f), expected,
  format('the date and time of %s for %s', zone, locale)) from (values
  ('UTC', 'en', 'December 31, 2026, 11:30 PM (UTC)'),
  ('America/New_York', 'en-US', 'December 31, 2026, 6:30 PM (America/New_York)'),
  ('Europe/London', 'en-GB', '31 December 2026, 23:30 (Europe/London)'),
  ('Asia/Kolkata', 'en-IN', '1 January 2027, 5:00 am (Asia/Kolkata)'),
  ('Europe/Paris', 'fr-FR', '1 January 2027, 00:30 (Europe/Paris)'),
  ('Europe/Berlin', 'de', '1. Januar 2027, 0:30 Uhr (Europe/Berlin)'),
  ('Europe/Zurich', 'de-CH', '1. Januar 2027, 0:30 Uhr (Europe/Zurich)'),
  ('Europe/Vienna', 'de-AT', '1. Jänner 2027, 0:30 Uhr (Europe/Vienna)')) v (zone, locale, expected)
cross join lateral private.date_formats(private.text_locale_of(v.locale)) f;
select is(private.format_local_time(at, zone, private.date_formats(locale)), expected,
  format('the time of %s in %s for %s', at, zone, locale)) from (values
  ('2026-11-01T04:59:00Z'::timestamptz, 'America/New_York', 'en', '12:59 AM (America/New_York)'),
  ('2026-11-01T05:30:00Z', 'America/New_York', 'en', '1:30 AM (America/New_York, UTC-04:00)'),
  ('2026-11-01T06:30:00Z', 'America/New_York', 'en', '1:30 AM (America/New_York, UTC-05:00)'),
  ('2026-11-01T07:00:00Z', 'America/New_York', 'en', '2:00 AM (America/New_York)'),
  ('2026-10-25T00:30:00Z', 'Europe/Berlin', 'de', '2:30 Uhr (Europe/Berlin, UTC+02:00)'),
  ('2026-10-25T01:30:00Z', 'Europe/Berlin', 'de', '2:30 Uhr (Europe/Berlin, UTC+01:00)'),
  ('2026-03-29T01:00:00Z', 'Europe/Berlin', 'de', '3:00 Uhr (Europe/Berlin)'),
  ('2026-11-01T04:00:00Z', 'America/St_Johns', 'en', '1:30 AM (America/St_Johns, UTC-02:30)'))
  v (at, zone, locale, expected);
select is(private.text_params(
    '{"podcast_id": "p", "count": 2, "start_at": "2026-03-29T12:00:00Z", "odd_at": "soon", "none_at": null}', 'de-at',
    'Europe/Berlin'),
  '{"podcast_id": "p", "count": 2, "start_at": "2026-03-29T12:00:00Z", "odd_at": "soon", "none_at": null,
    "start_date": "29. März 2026", "start_time": "14:00 Uhr (Europe/Berlin)"}',
  'text_params adds the date and the time of each moment of a payload');
select is(private.text_params('{"podcast_id": "p"}', 'en'), '{"podcast_id": "p"}',
  'text_params returns a payload without moments as it is');

select * from tests.finish();
rollback;
