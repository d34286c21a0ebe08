-- The rows of this domain: settings.
create function private.install_personal_data() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('max_account_exports_per_hour', 'count', '10', 'Maximum exports of an account per user and hour')
  ) s (key, kind, default_value, description);
end $$;
comment on function private.install_personal_data is 'Part of private.install(): writes the rows of this domain.';
