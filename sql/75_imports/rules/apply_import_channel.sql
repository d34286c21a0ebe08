-- The channel between the preview and the podcast: stored when the feed was read, applied on confirmation.
create function private.store_import_channel(import public.podcast_imports, channel jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  taken constant record := private.channel_fields(channel);
begin
  insert into private.import_channels (import_id, fields) values (import.id, taken.fields);
  insert into public.podcast_import_channels (import_id, podcast_id, fields, losses)
  values (import.id, import.podcast_id, private.mask_emails(taken.fields, private.owner_emails(channel)),
    private.mask_addresses(private.join_losses(coalesce(channel -> 'losses', '[]'), taken.losses)::text));
end $$;
comment on function private.store_import_channel is
  'Stores the channel of a staged feed, unmasked for apply_import_channel; admins see the owner''s addresses masked.';

create function private.apply_import_channel(import public.podcast_imports, field_names text[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  fields  jsonb;
  missing text;
  columns jsonb;
begin
  if cardinality(field_names) = 0 then
    return;
  end if;
  select c.fields into fields from private.import_channels c where c.import_id = import.id;
  select name into missing from unnest(field_names) name
  where not coalesce(fields, '{}') ? coalesce(name, '') limit 1;
  if found then
    raise sqlstate 'PT400' using hint = 'INVALID_SELECTION',
      message = format('The feed''s channel has no %s to apply', coalesce(left(missing, 100), 'field null')),
      detail = 'Fields of this channel: '
        || coalesce((select string_agg(key, ', ' order by key) from jsonb_object_keys(fields) key), 'none');
  end if;
  select jsonb_object_agg(f.key, f.value) into fields from jsonb_each(fields) f where f.key = any (field_names);
  columns := coalesce((
      select jsonb_object_agg(private.snake_case(f.key), f.value)
      from jsonb_each(fields - '{owner,license,persons,image}'::text[]) f), '{}')
    || case when fields ? 'owner' then jsonb_build_object(
      'owner_name', fields #> '{owner,name}', 'owner_email', fields #> '{owner,email}') else '{}' end
    || case when fields ? 'license' then jsonb_build_object(
      'license', fields #> '{license,name}', 'license_url', fields #> '{license,url}') else '{}' end;
  if columns <> '{}' then  -- names of channel_fields, so that the statement changes no other column
    execute (
      select format('update public.podcasts p set %s where p.id = $2',
        string_agg(format('%1$I = ($1).%1$I', name), ', '))
      from jsonb_object_keys(columns) name)
    using jsonb_populate_record(null::public.podcasts, columns), import.podcast_id;
  end if;
  perform private.replace_podcast_credits(import.podcast_id, fields -> 'persons') where fields ? 'persons';
  if fields ? 'image' then
    update private.import_channels c set confirmed_cover_url = p.cover_image_url
    from public.podcasts p where c.import_id = import.id and p.id = import.podcast_id;
    perform private.enqueue('import_files', jsonb_build_object(
      'type', 'import_file', 'kind', 'cover', 'import_id', import.id, 'podcast_id', import.podcast_id));
  end if;
end $$;
comment on function private.apply_import_channel is
  'Sets the named fields of the podcast, and no others, to those of the feed''s channel; the worker copies the image. '
  'PT400 INVALID_SELECTION names a field that the channel does not have.';
