-- The texts of templates: their {tags}, what is wrong with them, and their values.
create function private.tag_name(written text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  -- editors write the questions of booking_answer as HTML
  return case when written like 'booking\_answer:%'
    then 'booking_answer:' || private.normalize_line(translate(
      private.decode_html(substr(written, 16)), U&'\00A0', ' '))
    else written end;
end $$;
comment on function private.tag_name is
  'The tag that a template writes in braces: a question after booking_answer: may be written as HTML.';

create function private.used_tags(template text) returns text[]
language sql immutable parallel safe security invoker set search_path = ''
as $$
  -- a known tag has at most 315 characters
  select coalesce(array_agg(distinct left(private.tag_name(left(m.tag[1], 2000)), 316)), '{}')
  from regexp_matches($1, '\{([^{}]*)\}', 'g') m (tag)
$$;
comment on function private.used_tags is 'The tags of a text, {tag} each, without braces and duplicates.';

create function private.is_template_tag(tag text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return tag like 'booking\_answer:_%' and char_length(tag) <= 315
    or exists (select from public.automation_tags t where t.tag = $1);
end $$;
comment on function private.is_template_tag is
  'Whether templates may contain a tag: one of automation_tags, or booking_answer: and a question of a booking link.';

create function private.unbalanced_brace_error(field text, template text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select format('%s: the brace at character %s is not part of a {tag}', $1, m.place)
  from regexp_instr(regexp_replace($2, '\{([^{}]*)\}', ' \1 ', 'g'), '[{}]') m (place)
  where m.place > 0
$$;
comment on function private.unbalanced_brace_error is
  'The error of the first brace that is not part of a {tag}; null if there is none.';

create function private.template_size_error(field text, template text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return field || ': ' || case
    when field = 'subject' and char_length(template) > 255 then 'must be at most 255 characters'
    when octet_length(template) > 102400 then 'must be at most 102,400 bytes'  -- mail programs cut longer ones
    -- each takes time in each email
    when char_length(template) - char_length(replace(template, '{', '')) > 300
      or char_length(template) - char_length(replace(template, '}', '')) > 300 then 'must have at most 300 {tags}'
    when field = 'body_html' and char_length(template) - char_length(replace(template, '<', '')) > 5000
      then 'must have at most 5,000 HTML tags' end;
end $$;
comment on function private.template_size_error is
  'The error of a text of a template that is too long, or too slow to render; null for any other.';

create function private.template_errors(subject text, body_html text, body_text text) returns text[]
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return array_remove(array[
    coalesce(private.template_size_error('subject', subject),
      case when coalesce(private.is_blank(subject), true) then 'subject: must not be empty' end,
      private.unbalanced_brace_error('subject', subject)),
    coalesce(private.template_size_error('body_html', body_html),
      case when private.is_blank(left(coalesce(body_text, ''), 102400))
        and not private.has_content(coalesce(body_html, ''))
        then 'body_html: must have visible content, or body_text must not be empty' end,
      private.unbalanced_brace_error('body_html', body_html)),
    coalesce(private.template_size_error('body_text', body_text),
      private.unbalanced_brace_error('body_text', body_text))], null);
end $$;
comment on function private.template_errors is
  'What is wrong with the texts of a template, as `field: problem`: empty, too long, or unbalanced braces.';

create function private.localize_tags(tags jsonb, zone text, text_locale text) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select $1 || coalesce((
    select jsonb_object_agg(t.tag, format('%s, %s',
      private.format_local_date(($1 ->> t.tag)::timestamptz, $2, f.formats),
      private.format_local_time(($1 ->> t.tag)::timestamptz, $2, f.formats)))
    from public.automation_tags t cross join (select private.date_formats($3) as formats offset 0) f
    where t.kind = 'moment' and $1 ->> t.tag ~ '^\d{4}-\d\d-\d\d[T ]\d'  -- a sample may be any text
      and pg_input_is_valid($1 ->> t.tag, 'timestamptz')), '{}')
    || case when $1 ? 'booking_timezone' then jsonb_build_object('booking_timezone', $2) else '{}' end
$$;
comment on function private.localize_tags is
  'Tags as an email shows them: moments in a time zone, for a locale of texts, and the zone as booking_timezone.';

create function private.escape_tag(value text, place text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case
    when place in ('line', 'text') then value
    when place = 'bare' then regexp_replace(replace(private.escape_html(value), '=', '&#61;'), '\s', '&#32;', 'g')
    else private.escape_html(value) end;
end $$;
comment on function private.escape_tag is
  'Escapes a value for its place in a template: line, text, html (also in quotes), link, or bare. A bare value, as in '
  'an HTML tag without quotes, can neither end an attribute nor begin one.';

create function private.fill_tags(template text, place text, tags jsonb, urls text[]) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  pieces constant text[] := string_to_array(template, '{');
  filled text[] := array[pieces[1]];  -- a text that grows would be copied for each value
  copied text := pieces[1];           -- since the last value
  link   text := case when place = 'link' then '' end;  -- how the link that contains the value begins; null outside
  tag    text;
  value  text;
  is_url boolean;
begin
  for n in 2..coalesce(cardinality(pieces), 0) loop
    if link is not null and (place = 'link' or copied !~ '[\s<>"|]') then
      link := left(link || copied, 100);
    elsif place <> 'line' then
      link := substring(reverse(substring(reverse(copied) from '^[^ \t\n\v\f\r<>"|]*'))  -- the last word
        from '(?i)(?:https?://|mailto:).*$');
    end if;
    tag := private.tag_name(substring(pieces[n] from '^([a-z_]+|booking_answer:[^{}]*)\}'));
    if tag is null then
      copied := '{' || pieces[n];
      filled := array_append(filled, copied);
      continue;
    end if;
    value := coalesce(tags ->> tag, '');
    is_url := tag = any (urls) and value ~* '^https?://\S+$';
    if link is null or is_url and link ~ '^\s*$' or value = '{' || tag || '}' then  -- a preview has no other value
      if link is not null or is_url and place <> 'line' then
        link := left(concat(link, value), 100);
      end if;
      value := private.escape_tag(value, place);
    else
      value := private.encode_path_segment(value);
      if link ~* '^\s*mailto:[^?]*$' then
        value := replace(value, '%40', '@');  -- mail programs do not decode the address
      end if;
      link := left(link || value, 100);
    end if;
    copied := substr(pieces[n], strpos(pieces[n], '}') + 1);
    filled := array_append(filled, value || copied);
  end loop;
  return array_to_string(filled, '');
end $$;
comment on function private.fill_tags is
  'Fills the {tags} of a text in a place of private.escape_tag. In a link, values are percent-encoded, except one of '
  'urls that begins the link. A link in a text ends at white space, <, >, " or |, as in the links of Slack. A missing '
  'value is empty; values are never expanded.';

-- The expressions match runs without {tags} as a whole, because each match takes as long as thousands of characters.
create function private.fill_html_tag(markup text, quoted_place text, tags jsonb, urls text[]) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return (
    select string_agg(
      case when m.part[1] ~* '^(?:[^\s={]*/)?(?:href|src)\s*=' then l.start
          || private.fill_tags(substr(m.part[1], char_length(l.start) + 1), 'link', tags, urls)
        else private.fill_tags(m.part[1], case when m.part[1] ~ '^[^=]+=\s*["'']' then quoted_place else 'bare' end,
          tags, urls) end, '' order by m.n)
    from regexp_matches(regexp_replace(markup, '(\s(?:href|src))\s+=', '\1=', 'gi'),
      -- attributes without {tags}, an attribute, a name, what is between them
      $re$(?:(?:[^\s=>{]+=\s*(?:"[^"{]*"|'[^'{]*'|[^\s"'>{][^\s>{]*)|[^\s=>{]+)?[\s>]+)+$re$ ||
      $re$|[^\s=>]+\s*=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'>][^\s>]*)|[^\s=>]+|[\s=>]+$re$, 'g')
      with ordinality m (part, n)
    cross join substring(m.part[1] from $re$^[^=]*=\s*["']?$re$) l (start));
end $$;
comment on function private.fill_html_tag is 'Fills the {tags} in an HTML tag or comment.';

create function private.fill_html(html text, tags jsonb, urls text[]) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  -- parsers disagree on where these end, so that text may be an attribute
  place constant text := case
    when html ~* '<(?:script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext)\M|<!---?>' then 'bare'
    else 'html' end;
begin
  return (
    select coalesce(string_agg(
      case
        when m.part[1] = '<' then '&lt;'  -- a value after it must not name an HTML tag
        when strpos(m.part[1], '{') = 0 then m.part[1]
        when m.part[1] like '<%' then private.fill_html_tag(m.part[1], place, tags, urls)
        else private.fill_tags(m.part[1], place, tags, urls) end, '' order by m.n), '')
    from regexp_matches(html,
      -- text with HTML tags, comments and end tags, none of them with {tags}
      $re$(?:[^<{]*(?:<[a-zA-Z](?:[^=>{]|=\s*(?:"[^"{]*"|'[^'{]*'|[^\s"'>{]))*(?:=\s*)?>$re$ ||
      $re$|<!--(?:[^-{]|-[^-{]|-{2,}[^->{])*-{2,}>|<(?:/[^>{]|[!?][^->{])[^>{]*>))+$re$ ||
      -- an HTML tag, a comment, an end tag, text
      $re$|<[a-zA-Z](?:[^=>]|=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'>]))*(?:=\s*)?(?:>|$)$re$ ||
      $re$|<!--(?:[^-]|-[^-]|-{2,}[^->])*(?:-{2,}>|-*$)|<[/!?][^>{][^>]*(?:>|$)|[^<]+|<$re$, 'g')
      with ordinality m (part, n));
end $$;
comment on function private.fill_html is 'Fills the {tags} of HTML; the values are escaped for their places.';

create function private.render_template(subject text, body_html text, body_text text, tags jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  urls constant text[] := array(select t.tag from public.automation_tags t where t.kind = 'url');
begin
  return jsonb_build_object(
    'subject', private.normalize_line(private.fill_tags(subject, 'line', tags, urls)),
    'body_html', private.fill_html(body_html, tags, urls),
    'body_text', private.fill_tags(body_text, 'text', tags, urls));
end $$;
comment on function private.render_template is
  'Fills the {tags} of a template as {subject, body_html, body_text}. Values are escaped in body_html, percent-encoded '
  'in the links of both bodies, and never expanded. A missing value is empty.';
