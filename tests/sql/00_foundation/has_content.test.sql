-- has_content: whether a reader sees anything of HTML.
begin;
select tests.start();

select is(private.has_content(repeat(html, n)), has_content, format('has_content of %s, %s times', html, n))
from (values
  ('', 1, false), (' ', 5000, false), ('x', 1, true), ('x', 5000, true), ('<p> &nbsp;</p>', 1, false),
  ('<p> &nbsp;</p>', 1000, false), ('<p>x</p>', 1000, true), ('&nbsp;', 2000, false), ('<!--', 25600, false),
  ('<!-- <img> -->', 1000, false), ('<!-- <img> -->', 1, false), ('<!-- <img>', 1, false), ('<img src="x">', 1, true),
  ('<p></p>', 2000, false), ('<', 5000, true), ('<script>', 2000, false),
  ('<SCRIPT>x</SCRIPT>', 1, false), ('<style>x</style>', 1, false), ('<p><b>é</b></p>', 1, true),
  ('<strong>“x”</strong>', 1, true), ('<p>&nbsp;</p><p>x', 1, true), ('<p title="x">', 1, false))
  v (html, n, has_content);
select is(private.has_content(repeat('<p></p>', 1000) || html), has_content,
  format('has_content of %s after 1,000 empty paragraphs', left(html, 20)))
from (values ('x', true), ('<img src="x">', true), ('<br>', false),
  (format('<a title="%s"></a>', repeat('x', 5000)), false)) v (html, has_content);

select * from tests.finish();
rollback;
