-- The texts of templates: their {tags}, what is wrong with them, and their values.
create function private.used_tags(template text) returns text[]
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce(array_agg(distinct left(m.tag[1], 100)), '{}') from regexp_matches($1, '\{([^{}]*)\}', 'g') m (tag)
$$;
comment on function private.used_tags is 'The tags of a text, {tag} each, without braces and duplicates.';

create function private.unbalanced_brace_error(field text, template text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select format('%s: the brace at character %s is not part of a {tag}', $1, m.place)
  from regexp_instr(regexp_replace(left($2, 102400), '\{([^{}]*)\}', ' \1 ', 'g'), '[{}]') m (place)
  where m.place > 0
$$;
comment on function private.unbalanced_brace_error is
  'The error of the first brace that is not part of a {tag}; null if there is none.';

create function private.template_errors(subject text, body_html text, body_text text) returns text[]
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce(array_agg(e.error order by e.n), '{}') from (values
    (1, case when coalesce(private.is_blank(subject), true) then 'subject: must not be empty' end),
    (2, case when char_length(subject) > 255 then 'subject: must be at most 255 characters' end),
    -- mail programs cut longer ones
    (3, case when octet_length(body_html) > 102400 then 'body_html: must be at most 102,400 bytes' end),
    (4, case when octet_length(body_text) > 102400 then 'body_text: must be at most 102,400 bytes' end),
    (5, case when private.is_blank(coalesce(body_text, '')) and not private.has_content(coalesce(body_html, ''))
      then 'body_html: must have visible content, or body_text must not be empty' end),
    (6, private.unbalanced_brace_error('subject', subject)),
    (7, private.unbalanced_brace_error('body_html', body_html)),
    (8, private.unbalanced_brace_error('body_text', body_text))) e (n, error)
  where e.error is not null
$$;
comment on function private.template_errors is
  'What is wrong with the texts of a template, as `field: problem`: empty, too long, or unbalanced braces.';

create function private.render_template(subject text, body_html text, body_text text, tags jsonb) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'subject', private.normalize_line(private.render_text(subject, tags)),
    'body_html', private.render_text(body_html, e.escaped),
    'body_text', private.render_text(body_text, tags))
  from (select coalesce(jsonb_object_agg(t.key, private.escape_html(t.value)), '{}') as escaped
    from jsonb_each_text(tags) t) e
$$;
comment on function private.render_template is
  'Fills the {tags} of a template as {subject, body_html, body_text}. Values are escaped in body_html only, and never '
  'expanded. A missing value is empty.';
