-- Apple's categories
begin;
select tests.start();

select is((select count(distinct category) from public.podcast_categories), 19::bigint,
  'podcast_categories has 19 categories');
select is((select count(*) from public.podcast_categories where subcategory = ''), 19::bigint,
  'each category of podcast_categories is usable without a subcategory');
select results_eq(
  $$ select category, count(*) filter (where subcategory <> '')::int from public.podcast_categories
    group by 1 order by category collate "C" $$,
  $$ values ('Arts', 6), ('Business', 6), ('Comedy', 3), ('Education', 4), ('Fiction', 3), ('Government', 0),
    ('Health & Fitness', 6), ('History', 0), ('Kids & Family', 4), ('Leisure', 8), ('Music', 3), ('News', 7),
    ('Religion & Spirituality', 7), ('Science', 9), ('Society & Culture', 5), ('Sports', 15), ('TV & Film', 5),
    ('Technology', 0), ('True Crime', 0) $$, 'podcast_categories has Apple''s subcategories');
select is(tests.result_of('anon', 'select from public.podcast_categories limit 1'), 'ok 1',
  'anon reads podcast_categories');

select * from tests.finish();
rollback;
