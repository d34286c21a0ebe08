-- What the functions private.install_<domain>() of each rows.sql call. They keep what operators changed.
create function private.note_installed(_kind text, _name text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('castbase.installed',
    concat_ws(' ', current_setting('castbase.installed', true), _kind || ':' || _name), true);
end $$;
comment on function private.note_installed is
  'Notes that the transaction installs this setting, plan limit or job, for delete_obsolete_rows.';

create function private.install_setting(
  _key text, _kind text, _default_value text, _description text, _can_be_empty boolean default false,
  _choices text[] default null)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  declared constant record := row(_kind::private.setting_kind, _can_be_empty, _choices, _default_value, _description);
  present  record;
begin
  perform private.note_installed('setting', _key);
  -- first, because each write resolves all settings
  select s.kind, s.can_be_empty, s.choices, s.default_value, s.description into present
  from private.settings s where s.key = _key;
  if not found then
    insert into private.settings (key, kind, can_be_empty, choices, default_value, description)
    values (_key, _kind::private.setting_kind, _can_be_empty, _choices, _default_value, _description);
  elsif present is distinct from declared then
    update private.settings s set kind = _kind::private.setting_kind, can_be_empty = _can_be_empty,
      choices = _choices, default_value = _default_value, description = _description
    where s.key = _key;
  end if;
end $$;
comment on function private.install_setting is 'Writes a setting, except its value.';

create function private.install_queue(
  _name text, _max_attempts int, _backoff_base interval, _backoff_max interval, _description text,
  _max_concurrency int default null, _fair_key text default null, _is_standalone boolean default false,
  _retried_by text default null)
returns void
language plpgsql volatile security invoker set search_path = ''
as $install$
declare
  queue text;
begin
  insert into private.queues as q
    (name, max_attempts, backoff_base, backoff_max, max_concurrency, fair_key, is_standalone, retried_by, description)
  values (_name, _max_attempts, _backoff_base, _backoff_max, _max_concurrency, _fair_key, _is_standalone, _retried_by,
    _description)
  on conflict on constraint queues_pkey do update set max_attempts = excluded.max_attempts,
    backoff_base = excluded.backoff_base, backoff_max = excluded.backoff_max,
    max_concurrency = excluded.max_concurrency, fair_key = excluded.fair_key, is_standalone = excluded.is_standalone,
    retried_by = excluded.retried_by, description = excluded.description
    where (q.max_attempts, q.backoff_base, q.backoff_max, q.max_concurrency, q.fair_key, q.is_standalone,
        q.retried_by, q.description)
      is distinct from (excluded.max_attempts, excluded.backoff_base, excluded.backoff_max, excluded.max_concurrency,
        excluded.fair_key, excluded.is_standalone, excluded.retried_by, excluded.description);
  foreach queue in array array[_name, _name || '_dlq'] loop
    perform pgmq.create(queue) where not exists (select from pgmq.meta m where m.queue_name = queue);
  end loop;
  execute format($$create index if not exists %I on pgmq.%I
    (private.message_state(read_ct, headers), private.fair_key(message, headers, %L), vt)$$,
    concat_ws('_', 'q', _name, _fair_key, 'state_idx'), 'q_' || _name, _fair_key);
  execute format($$create index if not exists %I on pgmq.%I ((message ->> 'msg_id'))$$,
    'q_' || _name || '_dlq_msg_id_idx', 'q_' || _name || '_dlq');
  perform private.generate_turns(_name, _fair_key) where num_nulls(_fair_key, _max_concurrency) = 0;
  perform private.generate_claim(_name, _fair_key, num_nulls(_fair_key, _max_concurrency) = 0);
end $install$;
comment on function private.install_queue is
  'Writes the retry policy of a queue, except whether it is paused. Creates the queue, its dead-letter queue, and the '
  'function and index of its claims.';
