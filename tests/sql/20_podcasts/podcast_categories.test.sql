-- Apple's list, as it stands: 19 categories.
begin;
select tests.start();

select is((select count(distinct category) from public.podcast_categories), 19::bigint, 'nineteen categories');
select is((select count(*) from public.podcast_categories where subcategory = ''), 19::bigint, 'each usable by itself');
select results_eq($$ select category, count(*) filter (where subcategory <> '')::int from public.podcast_categories group by 1 order by category collate "C" $$,
  $$ values ('Arts', 6), ('Business', 6), ('Comedy', 3), ('Education', 4), ('Fiction', 3), ('Government', 0), ('Health & Fitness', 6), ('History', 0),
    ('Kids & Family', 4), ('Leisure', 8), ('Music', 3), ('News', 7), ('Religion & Spirituality', 7), ('Science', 9), ('Society & Culture', 5),
    ('Sports', 15), ('TV & Film', 5), ('Technology', 0), ('True Crime', 0) $$, 'with their subcategories');
select is(tests.result_of('anon', $$ insert into public.podcast_categories values ('Mine') $$), '42501', 'a list to read');

select * from tests.finish();
rollback;
