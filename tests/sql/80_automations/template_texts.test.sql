-- Texts of templates: how tags are filled in links, HTML and text. Values never change what the author wrote.
begin;
select tests.start();

create function pg_temp.render(body_html text, body_text text default '', more jsonb default '{}') returns jsonb
language sql as $$
  select private.render_template('Hi', body_html, body_text, '{"guest_email": "tom+podcast@x.example",
    "guest_full_name": "Tom & Jo #1", "episode_url": "https://casts.test/show?e=1&x=ü",
    "podcast_url": "javascript:alert(1)", "host_name": "x href=https://evil.example/ y"}' || more)
$$;

-- HTML
select is(pg_temp.render(html) ->> 'body_html', rendered, format('a template renders %s', html))
from (values
  ('<a href="https://f.example/?email={guest_email}&amp;name={guest_full_name}">Form</a>',
    '<a href="https://f.example/?email=tom%2Bpodcast%40x.example&amp;name=Tom%20%26%20Jo%20%231">Form</a>'),
  ('<a href=''https://f.example/{guest_full_name}''>{guest_full_name}</a>',
    '<a href=''https://f.example/Tom%20%26%20Jo%20%231''>Tom &amp; Jo #1</a>'),
  ('<A CLASS=x HREF = https://f.example/{guest_full_name}/x>x',
    '<A CLASS=x HREF= https://f.example/Tom%20%26%20Jo%20%231/x>x'),
  ('<img alt="{guest_full_name}" src="https://f.example/{guest_full_name}.png"/>',
    '<img alt="Tom &amp; Jo #1" src="https://f.example/Tom%20%26%20Jo%20%231.png"/>'),
  ('<br/><a/href="https://f.example/{guest_full_name}">', '<br/><a/href="https://f.example/Tom%20%26%20Jo%20%231">'),
  ('<a href="mailto:{guest_email}?subject={guest_email}">',
    '<a href="mailto:tom%2Bpodcast@x.example?subject=tom%2Bpodcast%40x.example">'),
  -- a URL that begins the link is one already
  ('<a href=" {episode_url}&r={guest_email}">{episode_url}</a>', '<a href=" https://casts.test/show?e=1&amp;x=ü'
    '&r=tom%2Bpodcast%40x.example">https://casts.test/show?e=1&amp;x=ü</a>'),
  ('<a href="https://f.example/?u={episode_url}">',
    '<a href="https://f.example/?u=https%3A%2F%2Fcasts.test%2Fshow%3Fe%3D1%26x%3D%C3%BC">'),
  ('<a href="{podcast_url}">', '<a href="javascript%3Aalert%281%29">'),
  ('<a href="{guest_email}">', '<a href="tom%2Bpodcast%40x.example">'),
  ('<a href="{host_name}">', '<a href="x%20href%3Dhttps%3A%2F%2Fevil.example%2F%20y">'),
  -- links that are text
  ('<p>https://f.example/?n={guest_full_name}<br>{guest_full_name}</p>',
    '<p>https://f.example/?n=Tom%20%26%20Jo%20%231<br>Tom &amp; Jo #1</p>'),
  -- what a value cannot become
  ('<a title={host_name} href="https://f.example/">',
    '<a title=x&#32;href&#61;https://evil.example/&#32;y href="https://f.example/">'),
  ('<a {host_name} href="https://f.example/">',
    '<a x&#32;href&#61;https://evil.example/&#32;y href="https://f.example/">'),
  ('<a title=a="{host_name}" href="https://f.example/">',
    '<a title=a="x&#32;href&#61;https://evil.example/&#32;y" href="https://f.example/">'),
  ('<!-->{host_name}-->', '<!-->x&#32;href&#61;https://evil.example/&#32;y-->'),
  ('<textarea><a t="</textarea><b t={host_name} x=">a" u={host_name}>', '<textarea><a t="</textarea><b t=x&#32;href'
    '&#61;https://evil.example/&#32;y x=">a" u=x&#32;href&#61;https://evil.example/&#32;y>'),
  ('Tom <{host_name}> </{host_name}> <!{host_name}>',
    'Tom &lt;x href=https://evil.example/ y> &lt;/x href=https://evil.example/ y> '
    '&lt;!x href=https://evil.example/ y>'),
  -- nothing else changes
  ('a < b <c>{</c> <!-- {} --> {x y} {Host_name} }', 'a &lt; b <c>{</c> <!-- {} --> {x y} {Host_name} }'),
  ('<p style="color: red" title=''a > {guest_full_name}''>{nope}.</p>',
    '<p style="color: red" title=''a > Tom &amp; Jo #1''>.</p>')
) v (html, rendered);

-- Text
select is(pg_temp.render('', written) ->> 'body_text', rendered, format('a text renders %s', written))
from (values
  ('{guest_full_name}: https://f.example/?email={guest_email}&name={guest_full_name}#x, {guest_full_name}',
    'Tom & Jo #1: https://f.example/?email=tom%2Bpodcast%40x.example&name=Tom%20%26%20Jo%20%231#x, Tom & Jo #1'),
  ('<HTTPS://f.example/{guest_full_name}>{guest_full_name}',
    '<HTTPS://f.example/Tom%20%26%20Jo%20%231>Tom & Jo #1'),
  ('(http://f.example/{guest_full_name}', '(http://f.example/Tom%20%26%20Jo%20%231'),
  ('mailto:{guest_email}', 'mailto:tom%2Bpodcast@x.example'),
  ('{episode_url}&n={guest_full_name} {guest_full_name}',
    'https://casts.test/show?e=1&x=ü&n=Tom%20%26%20Jo%20%231 Tom & Jo #1'),
  ('https://f.example/?u={episode_url}',
    'https://f.example/?u=https%3A%2F%2Fcasts.test%2Fshow%3Fe%3D1%26x%3D%C3%BC'),
  ('{podcast_url}{guest_full_name}', 'javascript:alert(1)Tom & Jo #1'),
  ('{host_name}{guest_full_name} a{ b} {a b}', 'x href=https://evil.example/ yTom & Jo #1 a{ b} {a b}')
) v (written, rendered);
select is(private.render_template('{episode_url}?a={guest_email} {x}', '', '', '{"guest_email": "a b{x}\n",
    "episode_url": "https://casts.test/"}') ->> 'subject', 'https://casts.test/?a=a b{x}',
  'a subject is one line, in which values stay as they are');

-- Answers
select is(pg_temp.render(template, template, '{"booking_answer:Tea & \"cake\"?": "Both, <b>please</b>"}') - 'subject',
  jsonb_build_object('body_html', html, 'body_text', text), format('a template renders %s', template))
from (values
  ('{booking_answer:Tea & "cake"?}', 'Both, &lt;b&gt;please&lt;/b&gt;', 'Both, <b>please</b>'),
  ('{booking_answer: Tea &amp;&nbsp; &quot;cake&quot;? }', 'Both, &lt;b&gt;please&lt;/b&gt;', 'Both, <b>please</b>'),
  ('[{booking_answer:Coffee?}]', '[]', '[]'),
  ('https://f.example/?a={booking_answer:Tea &amp; &quot;cake&quot;?}',
    'https://f.example/?a=Both%2C%20%3Cb%3Eplease%3C%2Fb%3E', 'https://f.example/?a=Both%2C%20%3Cb%3Eplease%3C%2Fb%3E')
) v (template, html, text);
select set_eq($$ select unnest(private.used_tags(
    '{booking_answer: Tea &amp;&nbsp;cake?} {host_name}{host_name} {booking_answer:Tea & cake?}')) $$,
  array['booking_answer:Tea & cake?', 'host_name'], 'used_tags names a question once, however it is written');

select * from tests.finish();
rollback;
