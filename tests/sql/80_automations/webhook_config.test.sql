-- webhook_config_error, render_payload and the headers of webhooks: what the action_config of send_webhook may have.
begin;
select tests.start();

-- URLs
select is(private.webhook_config_error(jsonb_build_object('url', url)), expected,
  format('webhook_config_error of %s', url))
from (values ('https://a.test', null), ('https://a.test:8443/in?a=b', null), ('http://[2606:4700::1]:8080/in', null),
  ('http://[::1', '.url: must have a valid host and port; write an international host name in punycode (xn--…)'),
  ('http://a.test:99999',
    '.url: must have a valid host and port; write an international host name in punycode (xn--…)'),
  ('http://a.test:0', '.url: must have a valid host and port; write an international host name in punycode (xn--…)'),
  ('ftp://a.test', '.url: must be an http or https URL')) v (url, expected);
create function pg_temp.error(fields text) returns text language sql as $$
  select private.webhook_config_error('{"url": "https://a.test"}' || fields::jsonb)
$$;

-- sign
select is(pg_temp.error(fields), expected, format('webhook_config_error of %s', fields))
from (values ('{"sign": true}', null), ('{"sign": false}', null), ('{"sign": null}', '.sign: must be true or false'),
  ('{"sign": "yes"}', '.sign: must be true or false'),
  ('{"color": 1}', ': may have only url, secret, payload_template, headers, sign')) v (fields, expected);
select is(private.is_signed_webhook(config::jsonb), expected, format('is_signed_webhook of %s', config))
from (values ('{}', true), ('{"sign": false}', false), ('{"payload_template": {}}', false),
  ('{"payload_template": {}, "sign": true}', true), ('{"payload_template": {}, "sign": false}', false))
  v (config, expected);

-- payload_template
create function pg_temp.template_error(template text) returns text language sql as $$
  select pg_temp.error(jsonb_build_object('payload_template', template::jsonb)::text)
$$;
select is(pg_temp.template_error(template), expected, format('the payload_template %s', left(template, 100)))
from (values
  ('{"text": "New: {episode_title}"}', null), ('{"content": "{podcast_title}"}', null), ('[]', null), ('{}', null),
  ('["{guest_email}", 7, true, null, {"a": ["{episode_url}"]}]', null), ('{"{no_tag}": 1}', null),
  ('{"answer": "{booking_answer:What is your name?}"}', null),
  ('"{episode_title}"', '.payload_template: must be an object or a list'),
  ('7', '.payload_template: must be an object or a list'), ('null', '.payload_template: must be an object or a list'),
  ('{"text": "{x}"}', '.payload_template.text: unknown tag {x}'),
  ('{"text": "{}"}', '.payload_template.text: unknown tag {}'),
  ('{"text": "{booking_answer:}"}', '.payload_template.text: unknown tag {booking_answer:}'),
  ('{"a": [1, {"b": "{episode_title} {nope}"}]}', '.payload_template.a[1].b: unknown tag {nope}'),
  ('["ok", "{"]', '.payload_template[1]: the brace at character 1 is not part of a {tag}'),
  (repeat('[', 10) || repeat(']', 10), null), (repeat('{"a":', 9) || '{}' || repeat('}', 9), null),
  (repeat('[', 11) || repeat(']', 11),
    '.payload_template[0][0][0][0][0][0][0][0][0][0]: must be at most 10 levels deep'),
  (jsonb_build_object('a', repeat('x', 32768 - 9))::text, null),
  ((select jsonb_agg(''::text) from generate_series(1, 999))::text, null),
  ((select jsonb_agg(''::text) from generate_series(1, 1000))::text,
    '.payload_template: must have at most 1,000 values'),
  (jsonb_build_object('a', repeat('x', 32768 - 8))::text, '.payload_template: must be at most 32,768 bytes'))
  v (template, expected);
select is(private.render_payload('"<{episode_url}|{episode_title}>, https://h.test/?t={episode_title}|{episode_title}"',
    '{"episode_url": "https://h.test/a", "episode_title": "A & B"}'),
  '"<https://h.test/a|A & B>, https://h.test/?t=A%20%26%20B|A & B"', 'the text of a link of Slack is not encoded');
select is(private.render_payload(template::jsonb, '{"guest_full_name": "\"Zoë\" {guest_email} <!all>\\\n", "n": "7"}'),
  expected::jsonb, format('render_payload of %s', template))
from (values
  ('{"text": "Hi {guest_full_name}!"}', '{"text": "Hi \"Zoë\" {guest_email} <!all>\\\n!"}'),
  ('["{n}", 7, null, true, {"{n}": "{missing}"}, [], {}]', '["7", 7, null, true, {"{n}": ""}, [], {}]'))
  v (template, expected);

-- headers
select is(pg_temp.error(jsonb_build_object('headers', headers::jsonb)::text), expected,
  format('the headers %s', left(headers, 100)))
from (values
  ('{}', null), ('{"Authorization": "Bearer abc", "X-Key": null, "Content-Type": "application/vnd.x+json"}', null),
  ('[]', '.headers: must be an object with a value per name'),
  ('null', '.headers: must be an object with a value per name'),
  ((select jsonb_object_agg('x-' || n, 'y')::text from generate_series(1, 10) n), null),
  ((select jsonb_object_agg('x-' || n, 'y')::text from generate_series(1, 11) n),
    '.headers: must have at most 10 headers'),
  ('{"X-A": "1", "x-a": "2"}', '.headers: must have each name once, in lower or upper case'),
  ('{"": "1"}', '.headers: names must be tokens of at most 100 characters'),
  ('{"a b": "1"}', '.headers: names must be tokens of at most 100 characters'),
  ('{"a\r\nb": "1"}', '.headers: names must be tokens of at most 100 characters'),
  ('{"é": "1"}', '.headers: names must be tokens of at most 100 characters'),
  (jsonb_build_object(repeat('a', 101), '1')::text, '.headers: names must be tokens of at most 100 characters'),
  (jsonb_build_object('a', repeat('x', 1000))::text, null))
  v (headers, expected);
select is(pg_temp.error(jsonb_build_object('headers', jsonb_build_object(name, 'x'))::text),
  format('.headers.%s: is a header that the server sets itself', name), format('the header %s', name))
from unnest('{Host,content-length,Connection,Transfer-Encoding,te,trailer,upgrade,keep-alive,proxy-authorization,
  Webhook-Id,webhook-signature,webhook-timestamp,webhook-other,expect,content-encoding,
  User-Agent}'::text[]) name;
select is(pg_temp.error(jsonb_build_object('headers', jsonb_build_object('x', value::jsonb))::text),
  '.headers.x: must be null or 1 to 1,000 visible ASCII characters, with spaces between them',
  format('the value %s of a header', left(value, 20)))
from unnest(array['""', '" "', '" a"', '"a "', '7', 'true', '{}', '"a\r\nb: c"', '"a\tb"', '"é"', '"a\u007f"',
  to_json(repeat('x', 1001))::text]) value;

-- Values of headers: only in Vault
select tests.podcast('show', 'ola'), tests.rule('rule', 'show', 'booking.confirmed', jsonb_build_array(
  tests.webhook_action('{"action_config": {"url": "https://a.test/in",
    "headers": {"Authorization": "Bearer abc", "x-key": "s3cret"}}}')));
create function pg_temp.stored() returns jsonb language sql volatile as $$
  select private.webhook_headers_of(tests.id('rule/0'))
$$;
create function pg_temp.config() returns jsonb language sql volatile as $$
  select a.action_config from automation_actions a where a.id = tests.id('rule/0')
$$;
-- Updates the action as an admin, and returns the error
create function pg_temp.put(headers text, url text default 'https://a.test/in') returns text language plpgsql as $$
declare
  problem text;
begin
  perform tests.act_as('ola');
  problem := tests.describe_error(format('select public.update_automation_rule(%L, %L)', tests.id('rule'),
    jsonb_build_object('actions', jsonb_build_array(tests.webhook_action(jsonb_build_object('action_config',
      jsonb_build_object('url', url) || headers::jsonb))))));
  perform tests.act_as('postgres');
  return problem;
end $$;
create temp table vault_rows as select count(*) as n from vault.secrets;
select is(pg_temp.config(), '{"url": "https://a.test/in", "headers": {"authorization": null, "x-key": null}}',
  'action_config has the names of headers in lower case, without their values');
select is(pg_temp.stored(), '{"authorization": "Bearer abc", "x-key": "s3cret"}', 'Vault has the values of headers');
select is(pg_temp.put('{"headers": {"authorization": null, "x-key": "new"}}', 'https://a.test/other'), 'none',
  'null keeps the value of a header');
select is(pg_temp.put('{"headers": {"authorization": null, "x-new": null}}'),
  'PT400 / Invalid request / actions[0].action_config.headers.x-new: must have a value, because none is stored',
  'null is rejected for a header without a stored value');
select is(pg_temp.put('{"headers": {"authorization": null, "x-key": "abc"}}', url),
  'PT400 / Invalid request / actions[0].action_config.headers.authorization: must be sent again, because the URL has '
    'another host or scheme',
  format('null is rejected for a header if the URL becomes %s', url))
from unnest('{https://b.test/in,http://a.test/in,https://a.test:8443/in}'::text[]) url;
select is(pg_temp.stored(), '{"authorization": "Bearer abc", "x-key": "new"}',
  'an update replaces the value of a header');
select is((select count(*) from vault.secrets), (select n from vault_rows),
  'Vault has one row for all headers of an action');
update automation_actions set continue_on_error = true where id = tests.id('rule/0');
select is(pg_temp.stored(), '{"authorization": "Bearer abc", "x-key": "new"}',
  'an update of another column keeps headers');
select is(pg_temp.put('{"headers": {"authorization": "Basic x"}}', 'https://b.test/in'), 'none',
  'a URL with another host is accepted with the values of its headers');
select is(pg_temp.config() -> 'headers', '{"authorization": null}', 'a header that an update does not name is removed');
select is(pg_temp.put('{}'), 'none', 'an update without headers is accepted');
select is(pg_temp.config(), '{"url": "https://a.test/in"}', 'an update without headers removes them');
select is((select count(*) from vault.secrets), (select n - 1 from vault_rows),
  'removed headers are deleted from Vault');
select pg_temp.put('{"headers": {"x-key": "again"}}');
delete from automation_actions where id = tests.id('rule/0');
select is((select count(*) from vault.secrets), (select n - 2 from vault_rows),
  'the headers of a deleted action are deleted from Vault');

select * from tests.finish();
rollback;
