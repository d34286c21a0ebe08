-- Who a user caused emails to, and what became of them: emailing strangers costs trust.
create table private.email_recipients (
  sender_id      uuid not null references public.profiles on delete cascade,
  digest         bytea not null,        -- of the recipient's address, so that the table holds no addresses
  first_email_at timestamptz not null,
  bounced_at     timestamptz,           -- the last permanent bounce
  complained_at  timestamptz,           -- the last complaint
  primary key (sender_id, digest),
  constraint digest_is_sha256 check (octet_length(digest) = 32)
);
comment on table private.email_recipients is
  'The people whom a user emailed without their request, with bounces and complaints. purge_email_recipients deletes '
  'old rows.';
create index email_recipients_first_email_at_idx on private.email_recipients (first_email_at);
create index email_recipients_bounced_at_idx on private.email_recipients (sender_id, bounced_at)
  where bounced_at is not null;
create index email_recipients_complained_at_idx on private.email_recipients (sender_id, complained_at)
  where complained_at is not null;
alter table private.email_recipients enable row level security;
-- No policy, no grant.

create function private.email_trust(
  _sender_id uuid, at timestamptz, out bounce_count int, out complaint_count int, out max_new_recipients int)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  select count(*) into bounce_count from private.email_recipients r
  where r.sender_id = _sender_id and r.bounced_at > at - interval '7 days';
  select count(*) into complaint_count from private.email_recipients r
  where r.sender_id = _sender_id and r.complained_at > at - interval '30 days';
  max_new_recipients := case
    -- two, because the recipient of an honest email can complain, too
    when complaint_count >= 2 then 0
    else private.plan_limit('max_new_recipients_per_day', (
        select f.id from public.profiles f
        where f.id = _sender_id and f.created_at <= at - interval '7 days'))
      / case when complaint_count > 0 or bounce_count >= 3 then 2 else 1 end end;
end $$;
comment on function private.email_trust is
  'How many people a user may newly email a day: max_new_recipients_per_day of the plan, in the first week of an '
  'account of the free plan; half of it after 3 permanent bounces in 7 days or a complaint in 30, none after 2 '
  'complaints. Null: unlimited.';

create function private.record_email_outcome(sender_id uuid, email text, reason text, at timestamptz) returns void
language sql volatile security invoker set search_path = ''
as $$
  update private.email_recipients r set
    bounced_at    = case $3 when 'bounce' then greatest(r.bounced_at, $4) else r.bounced_at end,
    complained_at = case $3 when 'complaint' then greatest(r.complained_at, $4) else r.complained_at end
  where r.sender_id = $1 and r.digest = private.email_digest($2)
$$;
comment on function private.record_email_outcome is
  'Records that an email which a user caused bounced permanently (bounce), or that its recipient complained '
  '(complaint).';

-- Operators
create view private.email_senders with (security_invoker = true) as
select s.sender_id, s.new_recipients, t.max_new_recipients, t.bounce_count, t.complaint_count,
  case when t.max_new_recipients = 0 then 'stopped'
    when t.complaint_count > 0 or t.bounce_count >= 3 then 'halved' else 'normal' end as state
from (
  select r.sender_id, count(*) filter (where r.first_email_at > now() - interval '1 day') as new_recipients
  from private.email_recipients r group by r.sender_id) s
cross join lateral private.email_trust(s.sender_id, now()) t;
comment on view private.email_senders is
  'The users who emailed strangers: people newly emailed in the last day, the limit, bounces in 7 days, complaints in '
  '30 days, and whether their emails are halved or stopped. For operators; restore_email_sender lifts it.';

create function private.restore_email_sender(_sender_id uuid) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  restored int;
begin
  update private.email_recipients r set bounced_at = null, complained_at = null
  where r.sender_id = _sender_id and num_nonnulls(r.bounced_at, r.complained_at) > 0;
  get diagnostics restored = row_count;
  return restored;
end $$;
comment on function private.restore_email_sender is
  'Forgets the bounces and complaints of a user''s emails, so that the user may email new people again. For operators. '
  'Returns how many recipients had one.';

create function private.purge_email_recipients(at timestamptz default now(), max_rows int default 10000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.delete_old_rows('private.email_windows', 'window_started_at', at - interval '90 days', max_rows);
  return private.delete_old_rows('private.email_recipients', 'first_email_at', at - interval '1 year', max_rows);
end $$;
comment on function private.purge_email_recipients is
  'Deletes recipients first emailed a year ago, who then count as new, and past counts of emails. Cron calls it daily. '
  'Returns how many recipients.';
