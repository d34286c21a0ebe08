-- pause_rules_of_left_member: the rules of an author who is not an admin any longer are paused until an admin resumes
-- them.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.member('ben', 'show', 'admin'),
  tests.member('vic', 'show'), tests.podcast('second', 'ola'), tests.member('ada', 'second', 'admin'),
  tests.podcast('leaving', 'ola'), tests.member('eve', 'leaving', 'admin');
select tests.open_link('talk', 'show'), tests.rule('rule', 'show', 'booking.confirmed', author => 'ola');

-- Pauses
create function pg_temp.rules_after(setup text, who text, statement text) returns text[] language plpgsql as $$
declare
  rules text[];
begin
  execute setup;
  perform tests.act_as(who);
  execute statement;
  perform tests.act_as('postgres');
  rules := array(
    select concat_ws(' ', r.name, i.name, case when r.is_paused then 'paused' end, r.pause_reason)
    from public.automation_rules r left join tests.ids i on i.id = r.author_id order by r.name);
  raise sqlstate 'ZZ999';  -- undoes it
exception when sqlstate 'ZZ999' then
  perform tests.act_as('postgres');
  return rules;
end $$;
select tests.rule('a', 'show', 'booking.confirmed', author => 'ada'), tests.rule('held', 'show', 'episode.published',
  author => 'ada'), tests.rule('elsewhere', 'second', 'booking.confirmed', author => 'ada');
update public.automation_rules set is_paused = true where name = 'held';
select is(pg_temp.rules_after(setup, who, statement),
  array['a ' || author || ' paused author_left', 'elsewhere ada', 'held ' || author || ' paused', 'rule ola'],
  format('the rules of an admin are paused in the podcast when %s', reason))
from (values
  ('the admin leaves', 'ada', 'select', 'ada', $$ delete from public.podcast_members
    where podcast_id = tests.id('show') and user_id = tests.id('ada') $$),
  ('the owner removes the admin', 'ada', 'select', 'ola', $$ delete from public.podcast_members
    where podcast_id = tests.id('show') and user_id = tests.id('ada') $$),
  ('the owner makes the admin a member', 'ada', 'select', 'ola', $$ update public.podcast_members set role = 'member'
    where podcast_id = tests.id('show') and user_id = tests.id('ada') $$)) v (reason, author, setup, who, statement);
select is(pg_temp.rules_after('select', 'postgres', $$ delete from auth.users where id = tests.id('ada') $$),
  '{a paused author_left,elsewhere paused author_left,held paused author_left,rule ola}'::text[],
  'all rules of a deleted account lose their author and are paused');
select is(pg_temp.rules_after('select', who, statement), '{a ada,elsewhere ada,held ada paused,rule ola}'::text[],
  format('no rule is paused when %s', reason))
from (values
  ('a plain member leaves', 'vic', $$ delete from public.podcast_members where user_id = tests.id('vic') $$),
  ('another admin leaves', 'ben', $$ delete from public.podcast_members where user_id = tests.id('ben') $$),
  ('a member becomes an admin', 'ola', $$ update public.podcast_members set role = 'admin'
    where user_id = tests.id('vic') $$)) v (reason, who, statement);
select is(pg_temp.rules_after($$ select tests.transfer('show', 'ada') $$, 'ada',
    $$ select public.accept_podcast_transfer(tests.id('show/transfer')) $$),
  '{a ada,elsewhere ada,held ada paused,rule ola}'::text[],
  'no rule is paused when its author transfers the podcast and stays an admin');

-- Resumption
delete from public.podcast_members where podcast_id = tests.id('show') and user_id = tests.id('ada');
select is(pg_temp.rules_after('select', who, statement), expected, format('%s: %s', what, expected))
from (values
  ('an admin who resumes a rule becomes its author', 'ben',
    $$ update public.automation_rules set is_paused = false where name = 'a' $$,
    '{a ben,elsewhere ada,held ada paused,rule ola}'::text[]),
  ('an admin who resumes a rule by update_automation_rule becomes its author', 'ben',
    $$ select public.update_automation_rule(tests.id('a'), '{"is_paused": false}') $$,
    '{a ben,elsewhere ada,held ada paused,rule ola}'),
  ('an admin who enables a paused rule does not resume it', 'ben',
    $$ select public.toggle_automation_rule(tests.id('a'), false),
      public.toggle_automation_rule(tests.id('a'), true) $$,
    '{a ben paused author_left,elsewhere ada,held ada paused,rule ola}'),
  ('an admin who renames a paused rule does not resume it', 'ben',
    $$ update public.automation_rules set name = 'b' where name = 'a' $$,
    '{b ada paused author_left,elsewhere ada,held ada paused,rule ola}'),
  ('an admin who returns resumes no rule', 'postgres',
    $$ insert into public.podcast_members (podcast_id, user_id, role)
      values (tests.id('show'), tests.id('ada'), 'admin') $$,
    '{a ada paused author_left,elsewhere ada,held ada paused,rule ola}')) v (what, who, statement, expected);
delete from auth.users where id = tests.id('ada');
select is(pg_temp.rules_after('select', 'service', $$ update public.automation_rules set is_paused = false $$),
  '{a paused author_left,elsewhere paused author_left,held paused author_left,rule ola}'::text[],
  'a rule without an author cannot be resumed by service');

-- Schedules
delete from public.automation_rules;
select tests.booking_in('session', 'talk', 30, 'confirmed'), tests.person('zed'), tests.member('zed', 'show', 'admin'),
  tests.rule('soon', 'show', 'time.before_recording', '[]', '{"offset_minutes": 60}', 'zed'),
  tests.rule('sooner', 'show', 'time.before_recording', '[]', '{"offset_minutes": 90}', 'ben'),
  tests.rule('last', 'leaving', 'booking.confirmed', author => 'eve');
create function pg_temp.scheduled() returns setof text language sql as $$
  select r.name from private.automation_schedules s join public.automation_rules r on r.id = s.rule_id order by r.name
$$;
select results_eq('select pg_temp.scheduled()', $$ values ('soon'), ('sooner') $$, 'a rule schedules a booking ahead');
delete from auth.users where id = tests.id('zed');
select results_eq('select pg_temp.scheduled()', $$ values ('sooner') $$,
  'the schedules of a rule vanish with the account of its author');
delete from public.podcast_members where user_id = tests.id('ben');
select is_empty('select pg_temp.scheduled()', 'the schedules of a rule vanish when its author leaves');
select tests.value_as('ola', $$ select public.update_automation_rule(tests.id('soon'), '{"is_paused": false}') $$);
select results_eq('select pg_temp.scheduled()', $$ values ('soon') $$, 'a resumed rule schedules its bookings again');
update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(), deletion_scheduled_at = now()
where id = tests.id('leaving');
select lives_ok($$ delete from auth.users where id = tests.id('eve') $$,
  'the account of an author can be deleted while the podcast is pending deletion');

select * from tests.finish();
rollback;
