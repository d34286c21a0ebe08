// POST /api/automations/templates/preview: renders a template without saving it.
import assert from "node:assert/strict";
import { assertError, assertKeys, newPerson, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, send } from "./automations.ts";

const PATH = "/templates/preview";
const preview = (json: unknown) => send("POST", PATH, json);

const request = () => Promise.resolve({ path: BASE + PATH, json: { subject: "Hi", body_html: "<p>Hi</p>" } });
assertAccessMatrix(`POST ${BASE}${PATH}`, request, { anon: 401 });

Deno.test("POST preview renders and validates a template, and is not a template's id", async () => {
  const { status, body } = await preview({
    subject: "Hi {guest_first_name}",
    body_html: "<p>{episode_title} &amp; {guest_first_name}</p>",
    sample_data: { guest_first_name: "Grace", episode_title: "Paris" },
  });
  assert.equal(status, 200);
  assertKeys(body, "preview", "validation");
  assert.deepEqual(body, {
    preview: { subject: "Hi Grace", body_html: "<p>Paris &amp; Grace</p>", body_text: "Paris & Grace" },
    validation: {
      is_valid: true,
      used_tags: ["episode_title", "guest_first_name"],
      invalid_tags: [],
      missing_context: [],
      errors: [],
    },
  });
});

Deno.test("POST preview escapes sample values in body_html, and neither in subject nor in body_text", async () => {
  const name = `<b>Grace</b> & "Co" {guest_email}`;
  const { body } = await preview({
    subject: "{guest_first_name}",
    body_html: `<p title="{guest_first_name}">{guest_first_name}</p>`,
    body_text: "{guest_first_name}",
    sample_data: { guest_first_name: name, guest_email: "grace@example.com" },
  });
  assert.deepEqual(body.preview, {
    subject: name,
    body_html: '<p>&lt;b&gt;Grace&lt;/b&gt; &amp; "Co" {guest_email}</p>',
    body_text: name,
  });
});

Deno.test("POST preview sanitizes body_html by the allow-list of emails", async () => {
  for (
    const [html, expected] of [
      ["<p>a</p><script>alert(1)</script>", "<p>a</p>"],
      ["<style>p{color:red}</style><p style='color:red;position:fixed'>a</p>", '<p style="color:red">a</p>'],
      [
        `<p onclick="x()">a</p><img src="https://host.test/a.png" onerror="x()">`,
        `<p>a</p><img src="https://host.test/a.png" />`,
      ],
      [`<a href="javascript:x()">a</a>`, "<a>a</a>"],
      [`<a href="{podcast_url}">a</a>`, "<a>a</a>"],
      [`<a href="https://host.test/">a</a>`, `<a href="https://host.test/" rel="noopener nofollow ugc">a</a>`],
      ["<iframe src='https://host.test/'></iframe><form><input></form><p>a", "<p>a</p>"],
    ]
  ) {
    const { status, body } = await preview({
      subject: "Hi",
      body_html: html,
      sample_data: { podcast_url: "javascript:x()" },
    });
    assert.deepEqual([status, body.preview.body_html], [200, expected]);
  }
});

Deno.test("POST preview derives body_text from the sanitized HTML, unless a text is given", async () => {
  const body_html = `<h1>Hi {guest_first_name}</h1><ul><li>One</li><li>Two</li></ul>` +
    `<p>See <a href="https://host.test/">the page</a><script>x()</script></p>`;
  const sample_data = { guest_first_name: "Grace & Co" };
  const derived = (await preview({ subject: "Hi", body_html, sample_data })).body.preview.body_text;
  assert.equal(derived, "Hi Grace & Co\n\n * One\n * Two\n\nSee the page (https://host.test/)");
  const given = await preview({ subject: "Hi", body_html, body_text: "Hi {guest_first_name}", sample_data });
  assert.equal(given.body.preview.body_text, "Hi Grace & Co");
  assert.deepEqual((await preview({ subject: "Hi", body_html: "<script>x()</script>" })).body.preview, {
    subject: "Hi",
    body_html: "",
    body_text: "",
  });
});

Deno.test("POST preview reports invalid tags, missing context and errors with status 200", async () => {
  const { status, body } = await preview({
    subject: "",
    body_html: "<p>{unknown_tag} {guest_email} {episode_title} {podcast_title}</p>",
    body_text: "{",
    trigger_type: "episode.published",
  });
  assert.equal(status, 200);
  assert.deepEqual(body.validation, {
    is_valid: false,
    used_tags: ["episode_title", "guest_email", "podcast_title", "unknown_tag"],
    invalid_tags: ["unknown_tag"],
    missing_context: ["guest_email"],
    errors: ["subject: must not be empty", "body_text: the brace at character 1 is not part of a {tag}"],
  });
  assert.equal(body.preview.body_html, "<p>{unknown_tag} {guest_email} {episode_title} {podcast_title}</p>");
  const long = await preview({
    subject: "x".repeat(256),
    body_html: "x".repeat(409_601),
    body_text: "{host_name}".repeat(301),
  });
  assert.deepEqual([long.status, long.body.preview, long.body.validation.errors], [
    200,
    { subject: "", body_html: "", body_text: "" },
    [
      "subject: must be at most 255 characters",
      "body_html: must be at most 102,400 bytes",
      "body_text: must have at most 300 {tags}",
    ],
  ]);
  const empty = await preview({});
  assert.deepEqual([empty.status, empty.body.validation.is_valid], [200, false]);
});

Deno.test("POST preview returns 400 for invalid fields", async () => {
  for (
    const [fields, details] of [
      [{ subject: 1 }, /^subject: /],
      [{ sample_data: [] }, /^sample_data: /],
      [{ sample_data: { guest_email: {} } }, /^sample_data\.guest_email: /],
      [{ sample_data: { guest_email: "x".repeat(2001) } }, /^sample_data: /],
      [{ trigger_type: "never" }, /^trigger_type: /],
      [{ template_id: crypto.randomUUID() }, 'Unrecognized key: "template_id"'],
    ] as const
  ) {
    assertError(await preview(fields), 400, { details });
  }
});

Deno.test("POST preview shows nothing of a template that grows beyond 512 KB with its values", async () => {
  const sample_data = { host_name: '"'.repeat(2000) };
  for (const texts of [{ body_html: "{host_name}".repeat(300) }, { body_text: "{host_name}".repeat(44) }]) {
    const { status, body } = await preview({ subject: "Hi", ...texts, sample_data });
    assert.deepEqual([status, body.preview, body.validation.errors.at(-1), body.validation.is_valid], [
      200,
      { subject: "", body_html: "", body_text: "" },
      "sample_data: its values make the preview too long",
      false,
    ]);
  }
  const { status, body } = await preview({ subject: "Hi", body_html: "{host_name} ".repeat(43), sample_data });
  assert.deepEqual([status, body.preview.body_text.length], [200, 43 * 2001 - 1]);
});

Deno.test("POST preview returns 429 with the time over the limit per user and minute", async () => {
  const caller = await newPerson("previews");
  const again = () => sendRequest({ method: "POST", path: BASE + PATH, as: caller, json: { subject: "Hi" } });
  assert.equal((await again()).status, 200);
  await sql`update private.rate_limits
    set request_count = private.get_setting('max_template_previews_per_minute')::int, expires_at = now() + interval '1 day'
    where key = ${`template_previews:${caller.id}`}`;
  assertError(await again(), 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
});

Deno.test("POST preview encodes the values of links, and shows moments as emails do", async () => {
  const { body } = await preview({
    subject: "{booking_start}",
    body_html:
      `<a href="https://form.test/?email={guest_email}&amp;name={guest_full_name}">{booking_answer:Topic?}</a>` +
      `<a href="{podcast_url}">Podcast</a>`,
    body_text: "https://form.test/?email={guest_email}&name={guest_full_name}",
    sample_data: {
      booking_start: "2026-07-06T15:00:00.000Z",
      booking_timezone: "America/New_York",
      guest_email: "tom+podcast@x.example",
      guest_full_name: "Tom & Jo #1",
      podcast_url: "https://casts.test/show?a=1&b=2",
      "booking_answer:Topic?": "Trains & <trams>",
    },
  });
  const rel = 'rel="noopener nofollow ugc"';
  assert.deepEqual([body.preview, body.validation.is_valid], [{
    subject: "July 6, 2026, 11:00 AM (America/New_York)",
    body_html: `<a href="https://form.test/?email=tom%2Bpodcast%40x.example&amp;name=Tom%20%26%20Jo%20%231" ${rel}>` +
      `Trains &amp; &lt;trams&gt;</a><a href="https://casts.test/show?a=1&amp;b=2" ${rel}>Podcast</a>`,
    body_text: "https://form.test/?email=tom%2Bpodcast%40x.example&name=Tom%20%26%20Jo%20%231",
  }, true]);
  const sent = new URL(body.preview.body_text).searchParams;
  assert.deepEqual([sent.get("email"), sent.get("name")], ["tom+podcast@x.example", "Tom & Jo #1"]);
});

Deno.test("POST preview derives a short text from a table with wide and spanning cells", async () => {
  const word = "w".repeat(50_000), row = "<tr><td>a</td><td>b</td></tr>";
  for (
    const body_html of [
      `<table><tr><td colspan="1000000" rowspan="1000000">x</td></tr></table>`,
      `<table><tr><td>${word}</td><td>x</td></tr>${row.repeat(1000)}</table>`,
    ]
  ) {
    const { status, body } = await preview({ subject: "Hi", body_html });
    assert.equal(status, 200);
    assert.ok(body.preview.body_text.length <= body_html.length);
  }
});
