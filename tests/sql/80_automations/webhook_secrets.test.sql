-- The secrets of send_webhook actions: in Vault only, one per action, and readable by no client.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.podcast('second', 'ola');
select tests.template('greet', 'show'), tests.rule('rule', 'show', 'booking.confirmed');
create temp table baseline as select count(*) as secrets from vault.secrets;
create function pg_temp.stored() returns bigint language sql volatile as $$
  select (select count(*) from vault.secrets) - (select secrets from baseline)
$$;
create function pg_temp.secrets(action text) returns jsonb language sql volatile as $$
  select private.webhook_secrets_of(tests.id(action), now())
$$;
-- A secret of n bytes, each of them `byte`
create function pg_temp.secret(n int, byte text default 'ab') returns text language sql as $$
  select 'whsec_' || translate(encode(decode(repeat(byte, n), 'hex'), 'base64'), E'\n', '')
$$;
grant execute on function pg_temp.secret to authenticated;
create function pg_temp.add(name text, fields jsonb default '{}', execution_order int default 0) returns text
language plpgsql as $$
declare
  created uuid;
begin
  perform tests.act_as('ada');
  insert into public.automation_actions (rule_id, action_type, action_config, execution_order)
  values (tests.id('rule'), 'send_webhook', '{"url": "https://a.test"}' || fields, add.execution_order)
  returning automation_actions.id into created;
  perform tests.act_as('postgres');
  perform tests.remember(add.name, created);
  return 'none';
exception when sqlstate 'PT400' then
  get stacked diagnostics name = pg_exception_detail;
  perform tests.act_as('postgres');
  return name;
end $$;

-- Creation
select pg_temp.add('given', jsonb_build_object('secret', pg_temp.secret(24))), pg_temp.add('generated', '{}', 1);
select is(action_config, '{"url": "https://a.test"}', 'action_config does not contain a secret')
from public.automation_actions order by execution_order;
select is(pg_temp.stored(), 2::bigint, 'Vault holds one secret per webhook');
select is(pg_temp.secrets('given'), jsonb_build_array(pg_temp.secret(24)), 'the given secret signs the webhook');
select matches(pg_temp.secrets('generated') ->> 0, '^whsec_[A-Za-z0-9+/]{43}=$',
  'a secret of 32 bytes is generated when none is given');
select is(private.is_webhook_secret(pg_temp.secrets('generated') ->> 0), true,
  'a generated secret is one of Standard Webhooks');
select isnt(private.generate_webhook_secret(), private.generate_webhook_secret(), 'each generated secret differs');
select is(pg_temp.add(format('%s bytes', n), jsonb_build_object('secret', pg_temp.secret(n)), n), result,
  format('a secret of %s bytes gives %s', n, result))
from (values (23, 'action_config.secret: must be whsec_ and 24 to 64 bytes in base64'), (25, 'none'), (64, 'none'),
  (65, 'action_config.secret: must be whsec_ and 24 to 64 bytes in base64')) v (n, result);
select is(pg_temp.add('bad', jsonb_build_object('secret', secret), 50),
  'action_config.secret: must be whsec_ and 24 to 64 bytes in base64', format('the secret %s is rejected', secret))
from unnest(array['null', '7', '{}', '""', '"secret"', to_json(substr(pg_temp.secret(24), 7))::text,
  to_json(upper(pg_temp.secret(24)))::text, to_json(pg_temp.secret(25) || '=')::text,
  to_json(rtrim(pg_temp.secret(25), '='))::text, to_json(pg_temp.secret(24) || ' ')::text,
  to_json(replace(pg_temp.secret(24), 'q', '-'))::text, to_json(E'\n' || pg_temp.secret(24))::text]::jsonb[]) secret;
select is(pg_temp.stored(), 4::bigint, 'a rejected secret is not stored');
delete from public.automation_actions where execution_order > 1;
select is(pg_temp.stored(), 2::bigint, 'the secrets of deleted actions are deleted from Vault');

-- Changes
create function pg_temp.change(action text, change text) returns void language plpgsql as $$
begin
  perform tests.act_as('ada');
  execute format('update public.automation_actions set %s where id = tests.id(%L)', change, action);
  perform tests.act_as('postgres');
end $$;
select pg_temp.change('given', $$ action_config = '{"url": "https://b.test"}', continue_on_error = true $$);
select is(pg_temp.secrets('given'), jsonb_build_array(pg_temp.secret(24)), 'a changed URL keeps the secret');
select pg_temp.change('given', format($$ action_config = '{"url": "https://b.test", "secret": %s}' $$,
  to_json(pg_temp.secret(32, 'cd'))));
select is(pg_temp.secrets('given'), jsonb_build_array(pg_temp.secret(32, 'cd')),
  'a secret in a changed action_config replaces the present one at once');
select is(pg_temp.stored(), 2::bigint, 'a replaced secret is deleted from Vault');
select is((select action_config from public.automation_actions where id = tests.id('given')),
  '{"url": "https://b.test"}', 'a changed action_config does not keep the secret');
select pg_temp.change('given', $$ action_type = 'update_field',
  action_config = '{"entity": "episode", "field": "title", "value": "New"}' $$);
select is(pg_temp.secrets('given'), null, 'an action that is a webhook no longer has no secret');
select is(pg_temp.stored(), 1::bigint, 'the secret of an action that is a webhook no longer is deleted from Vault');
select pg_temp.change('given', $$ action_type = 'send_webhook', action_config = '{"url": "https://b.test"}' $$);
select ok(jsonb_array_length(pg_temp.secrets('given')) = 1 and pg_temp.secrets('given') ->> 0
  <> pg_temp.secret(32, 'cd'), 'an action that becomes a webhook again gets a new secret');
select private.store_webhook_secret(tests.id('given'), pg_temp.secret(24, 'ef'), interval '1 day');
select is(pg_temp.stored(), 3::bigint, 'during an overlap Vault holds both secrets');
select pg_temp.change('given', format($$ action_config = '{"url": "https://b.test", "secret": %s}' $$,
  to_json(pg_temp.secret(32))));
select is(pg_temp.secrets('given'), jsonb_build_array(pg_temp.secret(32)),
  'a secret in a changed action_config ends an overlap');
select is(pg_temp.stored(), 2::bigint, 'a secret in a changed action_config leaves no earlier one in Vault');
select lives_ok('set constraints all immediate', 'each secret belongs to an action');
set constraints all deferred;

-- Deletion
select private.store_webhook_secret(tests.id('given'), pg_temp.secret(24), interval '1 day');
select tests.value_as('ada', $$ delete from public.automation_actions where id = tests.id('given') returning 1 $$);
select is(pg_temp.stored(), 1::bigint, 'both secrets of a deleted action are deleted from Vault');
select tests.value_as('ada', $$ select public.delete_automation_rule(tests.id('rule')) $$);
select is(pg_temp.stored(), 0::bigint, 'the secrets of a deleted rule are deleted from Vault');
select tests.rule('two', 'second', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  tests.webhook_action()));
select is(pg_temp.stored(), 2::bigint, 'create_automation_rule stores a secret per webhook');
delete from public.podcasts where id = tests.id('second');
select is(pg_temp.stored(), 0::bigint, 'the secrets of a deleted podcast are deleted from Vault');

-- What clients read
select tests.rule('hooks', 'show', 'booking.confirmed', jsonb_build_array(
  tests.webhook_action(jsonb_build_object('action_config', jsonb_build_object('url', 'https://a.test', 'secret',
    pg_temp.secret(24)))), tests.webhook_action()));
select tests.open_link('talk', 'show'), tests.booking_in('session', 'talk', 30, 'confirmed');
create temp table secrets as select decrypted_secret as secret, id from vault.decrypted_secrets
where id in (select secret_id from private.webhook_secrets);
select private.run_automation_execution(id) is not null from public.automation_executions;
create temp table responses (source text, response text);
grant insert, select on responses, secrets to authenticated, service_role;
select tests.act_as('ada');
insert into responses select 'rotate_webhook_secret', public.rotate_webhook_secret(tests.id('hooks/1'), s.secret)::text
from secrets s order by s.secret = pg_temp.secret(24) desc limit 1;
insert into responses select 'create_automation_rule', public.create_automation_rule(tests.id('show'), 'more',
  'booking.confirmed', actions => jsonb_build_array(jsonb_build_object('action_type', 'send_webhook', 'action_config',
  jsonb_build_object('url', 'https://a.test', 'secret', pg_temp.secret(24)))))::text;
insert into responses select 'update_automation_rule', public.update_automation_rule(tests.id('hooks'),
  jsonb_build_object('actions', jsonb_build_array(jsonb_build_object('action_type', 'send_webhook', 'action_config',
  jsonb_build_object('url', 'https://a.test', 'secret', pg_temp.secret(24))))))::text;
insert into responses values
  ('get_automation_rule', public.get_automation_rule(tests.id('hooks'))::text),
  ('list_automation_rules', public.list_automation_rules(tests.id('show'))::text),
  ('toggle_automation_rule', public.toggle_automation_rule(tests.id('hooks'))::text),
  ('dry_run_automation_rule', public.dry_run_automation_rule(tests.id('hooks'), tests.id('session'))::text),
  ('list_automation_executions', public.list_automation_executions(tests.id('show'))::text),
  ('get_automation_execution', (select public.get_automation_execution(id) from public.automation_executions limit 1
    )::text),
  ('export_account', public.export_account()::text),
  ('a rejected insert', (select detail from (select tests.describe_error(format($$ insert into
    public.automation_actions (rule_id, action_type, action_config, execution_order) values (%L, 'send_webhook',
    %L, 100) $$, tests.id('hooks'), jsonb_build_object('url', 'https://a.test', 'secret',
      pg_temp.secret(24)))) as detail
    ) e)),
  ('a rejected rotation', tests.describe_error(format('select public.rotate_webhook_secret(tests.id(''hooks/0''), %L)',
    pg_temp.secret(24) || '!')));
select tests.act_as('postgres');
do $$
declare
  readable record;
begin
  for readable in
    select g.table_name, g.grantee, string_agg(quote_ident(g.column_name), ', ') as columns
    from information_schema.column_privileges g
    where g.grantee in ('authenticated', 'service_role') and g.privilege_type = 'SELECT' and g.table_schema = 'public'
    group by 1, 2
  loop
    perform tests.act_as(case readable.grantee when 'authenticated' then 'ada' else 'service' end);
    execute format('insert into responses select %L, (select json_agg(t)::text from (select %s from public.%I) t)',
      readable.table_name || ' as ' || readable.grantee, readable.columns, readable.table_name);
    perform tests.act_as('postgres');
  end loop;
end $$;
select is(r.response ~ 'whsec_[A-Za-z0-9]' or exists (
    select from vault.decrypted_secrets s where strpos(r.response, s.decrypted_secret) > 0), false,
  format('clients read no secret from %s', r.source)) from responses r where r.response is not null;
select ok(count(*) > 40, 'the test reads every table that clients read') from responses;

select * from tests.finish();
rollback;
