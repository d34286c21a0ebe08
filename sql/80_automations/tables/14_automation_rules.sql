-- Rules: what starts an automation. Its actions run with the role that its author has at that time.
create table public.automation_rules (
  id             uuid primary key default gen_random_uuid(),
  podcast_id     uuid not null references public.podcasts on delete cascade,
  -- the admin who last decided what the rule does
  author_id      uuid default auth.uid() references public.profiles on delete set null,
  name           text not null,
  description    text not null default '',
  trigger_type   public.automation_trigger not null,
  trigger_config jsonb not null default '{}',
  workflow_data  jsonb not null default '{"nodes": [], "connections": []}',  -- of the front end's editor
  conditions     jsonb not null default '[]',     -- [{field, operator, value}]
  condition_mode text not null default 'all',     -- how many of the conditions must hold: all or any
  reply_to       text not null default 'host',  -- of its emails: host, owner, none or an address
  is_enabled     boolean not null default true,
  is_paused      boolean not null default false,
  pause_reason   text,                            -- author_left; null: an admin paused it
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  constraint name_is_1_to_200_chars check (char_length(name) <= 200 and not private.is_blank(name)),
  constraint description_is_at_most_2000_chars check (char_length(description) <= 2000),
  constraint condition_mode_is_known check (condition_mode in ('all', 'any')),
  constraint reply_to_is_valid  -- the trigger checks the address
    check (reply_to in ('host', 'owner', 'none') or strpos(reply_to, '@') > 0 and char_length(reply_to) <= 254),
  constraint only_paused_has_pause_reason check (is_paused or pause_reason is null),
  constraint pause_reason_is_known check (pause_reason = 'author_left'),
  constraint running_rule_has_author check (is_paused or author_id is not null)
);
comment on table public.automation_rules is
  'Automation rules. Admins read and write them. A rule runs while it is enabled and not paused.';
comment on constraint condition_mode_is_known on public.automation_rules is
  'The mode of conditions must be all or any';
comment on constraint description_is_at_most_2000_chars on public.automation_rules is
  'The description must have at most 2,000 characters';
comment on constraint name_is_1_to_200_chars on public.automation_rules is 'The name must have 1 to 200 characters';
comment on constraint only_paused_has_pause_reason on public.automation_rules is
  'Only a paused rule has a reason for its pause';
comment on constraint pause_reason_is_known on public.automation_rules is
  'A rule is paused only because its author left';
comment on constraint reply_to_is_valid on public.automation_rules is
  'The reply address must be host, owner, none or an email address';
comment on constraint running_rule_has_author on public.automation_rules is 'A rule without an author must be paused';
create index automation_rules_podcast_id_idx on public.automation_rules (podcast_id, created_at desc, id desc);
create index automation_rules_trigger_idx on public.automation_rules (podcast_id, trigger_type)
  where is_enabled and not is_paused;
create index automation_rules_author_id_idx on public.automation_rules (author_id, id);

-- Who
alter table public.automation_rules enable row level security;
create policy admins_read on public.automation_rules for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_insert on public.automation_rules for insert to authenticated
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_update on public.automation_rules for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete on public.automation_rules for delete to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.automation_rules to authenticated;
grant insert (podcast_id, name, description, trigger_type, trigger_config, workflow_data, conditions, condition_mode,
  reply_to, is_enabled, is_paused) on public.automation_rules to authenticated;
grant update (name, description, trigger_type, trigger_config, workflow_data, conditions, condition_mode, reply_to,
  is_enabled, is_paused) on public.automation_rules to authenticated;
grant select, insert, update, delete on public.automation_rules to service_role;
-- Not granted: author_id, because only its holder can agree to answer for a rule; pause_reason; id and, after the
-- insert, podcast_id.

-- Always
create trigger t050_guard_writer before insert on public.automation_rules
  for each row execute function private.guard_admin_writer();

create function private.guard_rule_author() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user = 'service_role' then  -- a rule that is paused at once would be a surprise
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'author_id: is required, because the rule acts with the role of its author; or set is_paused';
  end if;
  return new;
end $$;
create trigger t060_guard_author before insert on public.automation_rules
  for each row when (new.author_id is null and not new.is_paused)
  execute function private.guard_rule_author();

create function private.normalize_automation_rule() returns trigger
language plpgsql security definer  -- callers may not call the helpers
set search_path = ''
as $$
declare
  problem text := private.trigger_config_error(new.trigger_type, new.trigger_config);
begin
  if jsonb_typeof(new.workflow_data) = 'object' then
    new.workflow_data := '{"nodes": [], "connections": []}' || new.workflow_data;
  end if;
  if problem is null and (tg_op = 'INSERT' or new.workflow_data is distinct from old.workflow_data) then
    problem := private.workflow_data_error(new.workflow_data);
  end if;
  if problem is null and (tg_op = 'INSERT'
    or (new.trigger_type, new.conditions) is distinct from (old.trigger_type, old.conditions))
  then
    problem := private.conditions_error(new.trigger_type, new.conditions);
  end if;
  new.reply_to := private.normalize_email(new.reply_to);
  if problem is null and new.reply_to not in ('host', 'owner', 'none')
     and (tg_op = 'INSERT' or new.reply_to is distinct from old.reply_to)  -- checked again in each email
     and not private.is_reply_address(new.podcast_id, new.reply_to)
  then
    problem := 'reply_to: must be host, owner, none, or the address of an admin, or one that its holder confirmed';
  end if;
  if problem is null and new.trigger_config ? 'booking_link_id'
     and (tg_op = 'INSERT' or new.trigger_config is distinct from old.trigger_config)  -- links can be deleted later
     and not exists (
       select from public.booking_links l
       where l.id = (new.trigger_config ->> 'booking_link_id')::uuid and l.podcast_id = new.podcast_id)
  then
    problem := 'trigger_config.booking_link_id: must be a booking link of this podcast';
  end if;
  if problem is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = problem;
  end if;
  new.updated_at := clock_timestamp();
  new.name := private.normalize_line(new.name);
  if tg_op = 'UPDATE' then
    if auth.uid() is not null and (
      (new.trigger_type, new.trigger_config, new.conditions, new.condition_mode)
        is distinct from (old.trigger_type, old.trigger_config, old.conditions, old.condition_mode)
      or new.is_enabled and not old.is_enabled or old.is_paused and not new.is_paused)
    then
      new.author_id := auth.uid();  -- agrees to what the rule does from now on
    end if;
    if not new.is_paused then
      new.pause_reason := null;
    end if;
  end if;
  if new.author_id is null then  -- the account was deleted
    new.is_paused := true;
    new.pause_reason := 'author_left';
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.automation_rules
  for each row execute function private.normalize_automation_rule();

create trigger t300_guard_writable before insert or update or delete on public.automation_rules
  for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_writable_podcast();
create trigger t320_guard_count after insert on public.automation_rules
  referencing new table as new_rows
  for each statement execute function private.guard_row_count('podcast_id', '100',
    'A podcast can have at most %s automation rules; delete one first', 'TOO_MANY_AUTOMATIONS');

-- Members who leave, or are admins no longer: what they set up stops until another admin agrees to it.
create function private.pause_rules_of_left_member() returns trigger
language plpgsql security definer  -- members may leave without the right to write rules
set search_path = ''
as $$
begin
  update public.automation_rules r set is_paused = true, pause_reason = 'author_left'
  where r.podcast_id = old.podcast_id and r.author_id = old.user_id and not r.is_paused;
  return null;
end $$;
create trigger t900_pause_rules_of_left after delete on public.podcast_members
  for each row when (old.role >= 'admin') execute function private.pause_rules_of_left_member();
create trigger t900_pause_rules_of_demoted after update of role on public.podcast_members
  for each row when (old.role >= 'admin' and new.role < 'admin')
  execute function private.pause_rules_of_left_member();
