-- Accepted audio formats, with the file extensions of their stored objects.
create function private.audio_types() returns text[]
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return array['audio/mpeg', 'audio/mp4', 'audio/x-m4a', 'audio/wav', 'audio/x-wav'];
end $$;
comment on function private.audio_types is 'Returns the accepted audio MIME types.';
grant execute on function private.audio_types to authenticated, service_role;  -- a check constraint runs as the writer

create function private.audio_extension(content_type text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case content_type
  when 'audio/mpeg' then 'mp3'
  when 'audio/mp4' then 'm4a' when 'audio/x-m4a' then 'm4a'
  when 'audio/wav' then 'wav' when 'audio/x-wav' then 'wav' end;
comment on function private.audio_extension is
  'Returns the file extension of an accepted audio MIME type, or null.';
grant execute on function private.audio_extension to authenticated;
