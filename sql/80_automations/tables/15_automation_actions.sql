-- Actions: what a rule does, in their order.
create table public.automation_actions (
  id                uuid primary key default gen_random_uuid(),
  rule_id           uuid not null references public.automation_rules on delete cascade,
  -- Set by a trigger; the policy reads it.
  podcast_id        uuid not null default nullif('', '')::uuid references public.podcasts on delete cascade,
  action_type       public.automation_action_type not null,
  action_config     jsonb not null,                    -- secrets of send_webhook are moved into Vault
  execution_order   int not null default 0,            -- from 0
  continue_on_error boolean not null default false,    -- a failure does not stop the later actions
  disabled_reason   text,                              -- of a webhook that is sent no longer; null: it is sent
  -- deferred, because a deletion of the podcast deletes templates before actions
  template_id       uuid generated always as ((action_config ->> 'template_id')::uuid) stored
    references public.automation_templates deferrable initially deferred,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  constraint disabled_reason_is_known check (disabled_reason = 'gone'),
  constraint only_webhooks_are_disabled check (disabled_reason is null or action_type = 'send_webhook'),
  constraint execution_order_unique_per_rule unique (rule_id, execution_order) deferrable,
  constraint execution_order_is_0_to_99 check (execution_order between 0 and 99)
);
comment on table public.automation_actions is
  'Actions of automation rules. Admins read and write them. Secrets of webhooks are never in action_config.';
comment on constraint disabled_reason_is_known on public.automation_actions is
  'A webhook is disabled only because its receiver responded with 410 (Gone)';
comment on constraint only_webhooks_are_disabled on public.automation_actions is 'Only a webhook can be disabled';
comment on constraint execution_order_is_0_to_99 on public.automation_actions is
  'The order of an action must be 0 to 99';
comment on constraint execution_order_unique_per_rule on public.automation_actions is
  'Another action of the rule has this order';
create index automation_actions_podcast_id_idx on public.automation_actions (podcast_id);
create index automation_actions_template_id_idx on public.automation_actions (template_id);

-- Who
alter table public.automation_actions enable row level security;
create policy admins_read on public.automation_actions for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_insert on public.automation_actions for insert to authenticated
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_update on public.automation_actions for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete on public.automation_actions for delete to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.automation_actions to authenticated;
grant insert (rule_id, action_type, action_config, execution_order, continue_on_error)
  on public.automation_actions to authenticated;
grant update (action_type, action_config, execution_order, continue_on_error) on public.automation_actions
  to authenticated;
grant select, insert, update, delete on public.automation_actions to service_role;
-- Not granted: id, podcast_id and, after the insert, rule_id, because the policies read them; disabled_reason, which
-- the worker sets and update_automation_rule removes.

-- Secrets of webhooks. During a rotation both are valid, so that the receiver can change its own in time.
create table private.webhook_secrets (
  action_id           uuid primary key references public.automation_actions on delete cascade
    deferrable initially deferred,  -- a trigger writes the secret before the action
  secret_id           uuid not null,         -- in Vault
  previous_secret_id  uuid,
  previous_expires_at timestamptz,
  headers_secret_id   uuid,                  -- the values of its headers; null: it has none
  constraint secret_ids_are_unique unique (secret_id),
  constraint previous_secret_expires check (num_nulls(previous_secret_id, previous_expires_at) in (0, 2))
);
comment on table private.webhook_secrets is
  'Where Vault holds the secrets that sign the webhooks of each action, and their headers.';
alter table private.webhook_secrets enable row level security;
-- No policy, no grant.

create function private.delete_webhook_secrets() returns trigger
language plpgsql security definer  -- the deletion cascades from any writer
set search_path = ''
as $$
begin
  delete from vault.secrets s where s.id in (old.secret_id, old.previous_secret_id, old.headers_secret_id);
  return null;
end $$;
comment on function private.delete_webhook_secrets is 'Deletes the secrets of a deleted row from Vault.';
create trigger t500_delete_secrets after delete on private.webhook_secrets
  for each row execute function private.delete_webhook_secrets();

create function private.generate_webhook_secret() returns text
language sql volatile security invoker set search_path = ''
return 'whsec_' || translate(encode(decode(replace(
  concat(gen_random_uuid(), gen_random_uuid()), '-', ''), 'hex'), 'base64'), E'\n', '');
comment on function private.generate_webhook_secret is 'A new secret of Standard Webhooks: 32 bytes in base64.';

create function private.store_webhook_secret(
  _action_id uuid, _secret text, _overlap interval default '0', at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  stored private.webhook_secrets;
  new_id uuid;
begin
  select s.* into stored from private.webhook_secrets s where s.action_id = _action_id for update;
  delete from vault.secrets v where v.id = stored.previous_secret_id
    or v.id = stored.secret_id and _overlap <= interval '0';
  new_id := vault.create_secret(_secret);
  insert into private.webhook_secrets as s (action_id, secret_id) values (_action_id, new_id)
  on conflict on constraint webhook_secrets_pkey do update set secret_id = excluded.secret_id,
    previous_secret_id = case when _overlap > interval '0' then s.secret_id end,
    previous_expires_at = case when _overlap > interval '0'
      then at + _overlap end;
end $$;
comment on function private.store_webhook_secret is
  'Sets the secret of an action. The present one stays valid beside it for `overlap`; an earlier one ends.';

create function private.webhook_secrets_of(action_id uuid, at timestamptz) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_agg(v.decrypted_secret order by v.id = s.secret_id desc)
  from private.webhook_secrets s join vault.decrypted_secrets v
    on v.id = s.secret_id or v.id = s.previous_secret_id and s.previous_expires_at > $2
  where s.action_id = $1
$$;
comment on function private.webhook_secrets_of is
  'The secrets that sign the webhooks of an action at this time, the present one first.';

create function private.webhook_headers_of(action_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select coalesce((
    select v.decrypted_secret::jsonb from private.webhook_secrets s
    join vault.decrypted_secrets v on v.id = s.headers_secret_id where s.action_id = $1), '{}')
$$;
comment on function private.webhook_headers_of is 'The headers of the webhooks of an action with their values.';

create function private.store_webhook_headers(_action_id uuid, _headers jsonb, keeps_values boolean) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  stored  constant jsonb := private.webhook_headers_of(_action_id);
  wanted  jsonb;
  missing text;
begin
  select coalesce(jsonb_object_agg(lower(h.key), case when h.value = 'null' and keeps_values
    then stored -> lower(h.key) else h.value end), '{}') into wanted from jsonb_each(_headers) h;
  select h.key into missing from jsonb_each(wanted) h where coalesce(h.value, 'null') = 'null' order by 1 limit 1;
  if missing is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = format('action_config.headers.%s: %s', missing,
      case when stored ? missing then 'must be sent again, because the URL has another host or scheme'
        else 'must have a value, because none is stored' end);
  end if;
  if wanted <> stored then
    delete from vault.secrets v using private.webhook_secrets s
    where s.action_id = _action_id and v.id = s.headers_secret_id;
    update private.webhook_secrets s set headers_secret_id = case when wanted <> '{}'
      then vault.create_secret(wanted::text) end
    where s.action_id = _action_id;
  end if;
  return (
    select jsonb_object_agg(n, null) from jsonb_object_keys(wanted) n);
end $$;
comment on function private.store_webhook_headers is
  'Stores the headers of an action, {name: value}, in Vault; with keeps_values, null keeps the stored value. Returns '
  '{name: null} for action_config; null if there are none.';

-- Always
create function private.derive_action_podcast() returns trigger
language plpgsql security definer  -- independent of the caller's policies
set search_path = ''
as $$
begin
  select r.podcast_id into new.podcast_id from public.automation_rules r where r.id = new.rule_id
  for key share;  -- a deletion of the rule waits, or is seen
  if not found then
    raise sqlstate 'PT404' using message = 'Automation rule not found';
  end if;
  return new;
end $$;
create trigger t010_derive_podcast before insert or update of rule_id, podcast_id on public.automation_actions
  for each row execute function private.derive_action_podcast();
create trigger t050_guard_writer before insert on public.automation_actions
  for each row execute function private.guard_admin_writer();

create function private.action_config_error(
  _podcast_id uuid, action_type public.automation_action_type, config jsonb) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  -- a cast in the query below would be evaluated before the query is run
  wanted_id uuid := case when pg_input_is_valid(config ->> 'template_id', 'uuid')
    then (config ->> 'template_id')::uuid end;
begin
  return 'action_config' || case
    when jsonb_typeof(config) is distinct from 'object' then ': must be an object'
    when action_type = 'update_field' then private.update_field_error(config)
    when action_type = 'send_webhook' then private.webhook_config_error(config)
    when jsonb_typeof(config -> 'template_id') is distinct from 'string' or wanted_id is null
      then '.template_id: must be the id of a template'
    when not exists (
      select from public.automation_templates t
      where t.id = wanted_id and t.podcast_id = _podcast_id)
      then '.template_id: must be a template of this podcast'
    when jsonb_typeof(config -> 'to') is distinct from 'string' then '.to: must be guest, host, team or an address'
    when config ->> 'to' not in ('guest', 'host', 'team') then case
      when private.is_email_address(private.normalize_email(config ->> 'to')) is not true
        then '.to: must be guest, host, team or an email address'
      when not private.is_automation_address(_podcast_id, config ->> 'to')
        then '.to: must be a member, a guest who accepted an invitation, or an address that its holder confirmed; '
          'request the confirmation first'
      else private.unknown_key_error('', config, '{template_id,to}') end
    else private.unknown_key_error('', config, '{template_id,to}') end;
end $$;
comment on function private.action_config_error is
  'What is wrong with an action_config, or null: send_email {template_id, to: guest | host | team | <address>}, '
  'send_webhook {url, secret?, payload_template?, headers?, sign?}, update_field {entity, field, value}.';

create function private.url_origin(url text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return lower(substring(url from '^[A-Za-z]+://[^/?#]*'));
comment on function private.url_origin is 'Scheme, host and port of a URL, as it writes them.';

create function private.normalize_automation_action() returns trigger
language plpgsql security definer  -- callers may not call the helpers, nor write secrets
set search_path = ''
as $$
declare
  problem text;
  headers jsonb;
begin
  if pg_input_is_valid(new.action_config ->> 'template_id', 'uuid') then
    perform from public.automation_templates t
    where t.id = (new.action_config ->> 'template_id')::uuid and t.podcast_id = new.podcast_id
    for key share;  -- a deletion of the template waits, or is seen
  end if;
  problem := private.action_config_error(new.podcast_id, new.action_type, new.action_config);
  if problem is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = problem;
  end if;
  new.updated_at := clock_timestamp();
  if new.action_type = 'send_email' then
    new.action_config := new.action_config
      || jsonb_build_object('to', private.normalize_email(new.action_config ->> 'to'));
  end if;
  if new.action_type = 'send_webhook' then
    if tg_op = 'INSERT' or new.action_config -> 'url' is distinct from old.action_config -> 'url' then
      problem := private.blocked_url_reason(new.action_config ->> 'url');
      if problem is not null then
        raise sqlstate 'PT400' using message = problem, hint = 'BLOCKED_URL',
          detail = 'action_config.url: must be a URL of a public server';
      end if;
      new.disabled_reason := null;
    end if;
    if new.action_config ? 'secret' then
      perform private.store_webhook_secret(new.id, new.action_config ->> 'secret');
    elsif not exists (select from private.webhook_secrets s where s.action_id = new.id) then
      perform private.store_webhook_secret(new.id, private.generate_webhook_secret());
    end if;
    -- a new receiver would get values that the writer of the URL may not know
    headers := private.store_webhook_headers(new.id, coalesce(new.action_config -> 'headers', '{}'),
      keeps_values => tg_op = 'UPDATE' and private.url_origin(new.action_config ->> 'url')
        = private.url_origin(old.action_config ->> 'url'));
    new.action_config := (new.action_config - '{secret,headers}'::text[])
      || case when headers is null then '{}' else jsonb_build_object('headers', headers) end;
  elsif tg_op = 'UPDATE' and old.action_type = 'send_webhook' then
    new.disabled_reason := null;
    delete from private.webhook_secrets s where s.action_id = new.id;
  end if;
  return new;
end $$;
create trigger t100_normalize
  before insert or update of action_type, action_config, execution_order, continue_on_error on public.automation_actions
  for each row execute function private.normalize_automation_action();

create trigger t300_guard_writable
  before insert or update of action_type, action_config, execution_order, continue_on_error or delete
  on public.automation_actions for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_writable_podcast();

create trigger t320_guard_count after insert on public.automation_actions
  referencing new table as new_rows
  for each statement execute function private.guard_row_count('rule_id', '10', 'A rule can have at most %s actions',
    'TOO_MANY_AUTOMATIONS');

create function private.adopt_changed_rule() returns trigger
language plpgsql security definer  -- callers may not write author_id
set search_path = ''
as $$
begin
  update public.automation_rules r set author_id = coalesce(auth.uid(), r.author_id)
  where r.id = case when tg_op = 'DELETE' then old.rule_id else new.rule_id end
    and (r.author_id <> auth.uid() or r.updated_at < now());  -- once per transaction
  return null;
end $$;
comment on function private.adopt_changed_rule is
  'Trigger: the user who changes what a rule does becomes its author.';
create trigger t500_adopt_rule
  after insert or update of action_type, action_config, execution_order, continue_on_error or delete
  on public.automation_actions for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.adopt_changed_rule();

create function private.automation_action_json(action public.automation_actions) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('id', action.id, 'action_type', action.action_type, 'action_config', action.action_config,
    'execution_order', action.execution_order, 'continue_on_error', action.continue_on_error,
    'disabled_reason', action.disabled_reason);
end $$;
comment on function private.automation_action_json is 'An action, as reads of its rule show it.';
grant execute on function private.automation_action_json to authenticated;

create function private.automation_rule_json(rule public.automation_rules) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select to_jsonb(rule) - 'author_id' || jsonb_build_object(
    'created_at', private.format_timestamp(rule.created_at), 'updated_at', private.format_timestamp(rule.updated_at),
    'automation_actions', (
      select coalesce(jsonb_agg(private.automation_action_json(a) order by a.execution_order), '[]')
      from public.automation_actions a where a.rule_id = rule.id))
$$;
comment on function private.automation_rule_json is 'A rule with its actions in their order.';
grant execute on function private.automation_rule_json to authenticated;
