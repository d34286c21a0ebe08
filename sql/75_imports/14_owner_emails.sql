-- Addresses of a feed's owner: to whom a code can be mailed, and what others see of it.
create function private.deliverable_email_or_null(email text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  address text := private.normalize_email(email);
begin
  -- as podcast_guests asks: one address, and nothing that a mail's header would read as more than that
  return case when address collate pg_c_utf8 ~ '^[^@<>(),;:"\[\]\\]+@([a-z0-9.-]|(?![[:punct:]])[^\u0001-\u007f])+$'
    and address !~ '@(.*\.)?(\.|$)' and private.invisible_characters(address) = '' and char_length(address) <= 254 then address end;
end $$;
comment on function private.deliverable_email_or_null is 'An e-mail address as it is kept, or null when no mail could go there.';

create function private.mask_email(email text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  domain text := substring(email from '[^@]*$');
begin
  return left(email, 1) || '***@' || left(domain, 1) || '***' || coalesce(substring(domain from '\.[^.]+$'), '');
end $$;
comment on function private.mask_email is 'An address as people other than its owner see it: j***@e***.com.';
