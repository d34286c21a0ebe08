// The texts of HTML-only emails. The expected ones are those of Mailpit.
import { deepStrictEqual as equal } from "node:assert";
import { snippetOf, textOf } from "../../../local/mail/html_text.ts";

const cases = (convert: (html: string) => string, expected: Record<string, string>) => {
  for (const [html, text] of Object.entries(expected)) equal(convert(html), text, html);
};

Deno.test("textOf decorates headings, bold text and lists", () => {
  cases(textOf, {
    "<p>Hello, <b>world</b></p>": "Hello, *world*",
    "<h1>Big <i>title</i></h1>text": "*********\nBig title\n*********\n\ntext",
    "<h2>Ünï</h2><h3>Sub</h3><h4>four</h4>": "---\nÜnï\n---\n\nSub\n---\n\nfour",
    "<ul><li>one</li><li>two</li></ul>end": "* one\n* two\n\nend",
    "a <b>b</b>, c. <strong>d</strong>.": "a *b* , c. *d*.",
  });
});

Deno.test("textOf shows the URL of a link unless it is the link's text", () => {
  cases(textOf, {
    '<a href="http://x.test/a?b=1&amp;c=2">here</a>': "here ( http://x.test/a?b=1&c=2 )",
    '<a href="http://x.test">http://x.test</a> <a>none</a>': "http://x.test none",
    '<a href="mailto:a@x.test">Ann</a>': "Ann ( a@x.test )",
    '<a href="http://x.test"><img alt="Logo" src="y"></a>': "Logo ( http://x.test )",
  });
});

Deno.test("textOf separates blocks, keeps preformatted text and leaves out head, style and script", () => {
  cases(textOf, {
    "<div>one</div><div>two<div>three</div></div>four": "one\ntwo\nthree\nfour",
    "<p>a\n\n  b<br>c</p><p>d</p>": "a b\nc\n\nd",
    "<table><tr><td>a</td><td>b</td></tr></table>tail": "a b\n\ntail",
    "<pre>keep\n   this</pre>": "keep\n  this",
    "<html><head><title>T</title></head><body><style>p{}</style><script>1</script>Hi &amp; bye &lt;x&gt;</body></html>":
      "Hi & bye <x>",
    "": "",
  });
});

Deno.test("textOf marks and breaks quotations", () => {
  cases(textOf, {
    "<blockquote>short<blockquote>inner</blockquote>after</blockquote>end": "> \n> short\n>> inner\n> \n> after\n\nend",
    [`<blockquote>${"word ".repeat(20)}</blockquote>`]: `> \n> ${"word ".repeat(15).trim()}\n> ${
      "word ".repeat(5).trim()
    }`,
  });
});

Deno.test("snippetOf takes the start of the HTML's text, or of the text without HTML", () => {
  equal(snippetOf("plain\n\n text"), "plain text");
  equal(snippetOf("plain", "<head><title>T</title></head><h1>Big</h1><p>a<br>b</p><b>c</b>!"), "Big a b c!");
  equal(snippetOf("", `<p>${"ab ".repeat(100)}</p>`), `${"ab ".repeat(66)}ab...`);
  equal(snippetOf("é".repeat(101)), `${"é".repeat(100)}...`);
  equal(snippetOf(`x${"é".repeat(100)}`), `x${"é".repeat(99)}...`);
  equal(snippetOf(), "");
});
