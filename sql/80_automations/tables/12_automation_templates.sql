-- Templates: the emails that automations send.
create type public.automation_template_category as enum ('booking', 'guest', 'episode', 'general');

create table public.automation_templates (
  id          uuid primary key default gen_random_uuid(),
  podcast_id  uuid not null references public.podcasts on delete cascade,
  name        text not null,
  description text not null default '',
  category    public.automation_template_category not null default 'general',
  subject     text not null,                  -- with {tags}, as both bodies
  body_html   text not null default '',       -- as an admin wrote it: sanitized in each email and preview
  body_text   text not null default '',       -- empty: derived from body_html
  has_button  boolean not null default true,  -- the button of the podcast or episode at the end of the email
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  constraint name_is_1_to_200_chars check (char_length(name) <= 200 and not private.is_blank(name)),
  constraint description_is_at_most_2000_chars check (char_length(description) <= 2000)
);
comment on table public.automation_templates is
  'Email templates of automations. Admins read and write them. body_html is not sanitized: show the preview instead.';
comment on constraint description_is_at_most_2000_chars on public.automation_templates is
  'The description must have at most 2,000 characters';
comment on constraint name_is_1_to_200_chars on public.automation_templates is 'The name must have 1 to 200 characters';
create index automation_templates_podcast_id_idx on public.automation_templates (podcast_id, created_at desc, id desc);

-- Who
alter table public.automation_templates enable row level security;
create policy admins_read on public.automation_templates for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_insert on public.automation_templates for insert to authenticated
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_update on public.automation_templates for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete on public.automation_templates for delete to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.automation_templates to authenticated;
grant insert (podcast_id, name, description, category, subject, body_html, body_text, has_button)
  on public.automation_templates to authenticated;
grant update (name, description, category, subject, body_html, body_text, has_button) on public.automation_templates
  to authenticated;
grant select, insert, update, delete on public.automation_templates to service_role;
-- Not granted: id and, after the insert, podcast_id, because actions refer to both.

-- Always
create trigger t050_guard_writer before insert on public.automation_templates
  for each row execute function private.guard_admin_writer();

create function private.normalize_automation_template() returns trigger
language plpgsql security definer  -- callers may not call the helpers
set search_path = ''
as $$
declare
  problem text := (private.template_errors(new.subject, new.body_html, new.body_text))[1];
begin
  new.updated_at := clock_timestamp();
  new.name := private.normalize_line(new.name);
  new.subject := private.normalize_line(new.subject);
  if problem is null then
    select format('%s: unknown tag {%s}; see the table automation_tags', f.field, left(u.tag, 100)) into problem
    from (values (1, 'subject', new.subject), (2, 'body_html', new.body_html), (3, 'body_text', new.body_text))
      f (n, field, template)
    cross join lateral unnest(private.used_tags(f.template)) u (tag)
    where not private.is_template_tag(u.tag)
    order by f.n, u.tag limit 1;
  end if;
  if problem is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = problem;
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.automation_templates
  for each row execute function private.normalize_automation_template();

create trigger t300_guard_writable before insert or update or delete on public.automation_templates
  for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_writable_podcast();

create trigger t320_guard_count after insert on public.automation_templates
  referencing new table as new_rows
  for each statement execute function private.guard_row_count('podcast_id', '200',
    'A podcast can have at most %s templates; delete one first', 'TOO_MANY_AUTOMATIONS');

create function private.guard_used_template() returns trigger
language plpgsql security definer  -- independent of the caller's policies
set search_path = ''
as $$
declare
  rule_name text := (
    select r.name from public.automation_actions a join public.automation_rules r on r.id = a.rule_id
    where a.template_id = old.id order by r.name limit 1);
begin
  if rule_name is not null then
    raise sqlstate 'PT409' using hint = 'TEMPLATE_IN_USE',
      message = format('The rule %L sends this template; change or delete the rule first', rule_name);
  end if;
  return old;
end $$;
create trigger t330_guard_used before delete on public.automation_templates
  for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_used_template();

create function private.automation_template_json(template public.automation_templates) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select to_jsonb(template) || jsonb_build_object(
    'created_at', private.format_timestamp(template.created_at),
    'updated_at', private.format_timestamp(template.updated_at))
$$;
comment on function private.automation_template_json is 'A template with all its fields.';
grant execute on function private.automation_template_json to authenticated;
