// /api/automations/templates: the emails that automations send.
import assert from "node:assert/strict";
import { assertError, assertKeys, podcast, scheduleDeletion, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, emailTo, newRule, newTemplate, send, templateOf } from "./automations.ts";

const show = await podcast("Templates");
const FIELDS = "id podcast_id name description category subject body_html body_text created_at updated_at".split(" ");
const PATH = "/templates";

const kept = await newTemplate(show);
const ROUTES: Record<string, () => Promise<{ path: string; json?: unknown }>> = {
  "GET": () => Promise.resolve({ path: `${BASE}${PATH}?podcast_id=${show.id}` }),
  "POST": () => Promise.resolve({ path: BASE + PATH, json: templateOf(show) }),
  "GET /:id": () => Promise.resolve({ path: `${BASE}${PATH}/${kept.id}` }),
  "PUT /:id": () => Promise.resolve({ path: `${BASE}${PATH}/${kept.id}`, json: { name: "Thanks" } }),
  "DELETE /:id": async () => ({ path: `${BASE}${PATH}/${(await newTemplate(show)).id}` }),
};
for (const [name, request] of Object.entries(ROUTES)) {
  const [method, path = ""] = name.split(" "), route = `${method} ${BASE}${PATH}${path}`;
  assertAccessMatrix(route, request, { anon: 401, stranger: 403, member: 403 });
}

Deno.test("POST templates returns 201 with the template and its defaults", async () => {
  const { status, body } = await send(
    "POST",
    PATH,
    templateOf(show, { name: " A  note ", body_html: undefined, body_text: "See you" }),
    "owner",
  );
  assert.equal(status, 201);
  assertKeys(body, "template");
  assertKeys(body.template, ...FIELDS);
  const { id: _, created_at, updated_at, ...rest } = body.template;
  for (const time of [created_at, updated_at]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    podcast_id: show.id,
    name: "A note",
    description: "",
    category: "general",
    subject: "Thanks, {guest_first_name}",
    body_html: "",
    body_text: "See you",
  });
});

Deno.test("POST templates stores all fields, and body_html as it was written", async () => {
  const all = {
    name: "Everything",
    description: "Line\nbreaks",
    category: "booking",
    subject: "{podcast_title}: {booking_start}",
    body_html: `<p onclick="x()">Hi <b>{guest_first_name}</b></p>`,
    body_text: "Hi {guest_first_name}",
  };
  const { id, podcast_id: _, created_at: __, updated_at: ___, ...made } = await newTemplate(show, all);
  assert.deepEqual(made, all);
  const { status, body } = await send("GET", `${PATH}/${id}`);
  assert.equal(status, 200);
  assertKeys(body, "template");
  assertKeys(body.template, ...FIELDS);
  assert.equal(body.template.body_html, all.body_html);
});

Deno.test("PUT templates changes the named fields alone", async () => {
  const before = await newTemplate(show, { description: "Kept" });
  const { status, body } = await send("PUT", `${PATH}/${before.id}`, { category: "guest", body_text: "Bye" });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    template: { ...before, category: "guest", body_text: "Bye", updated_at: body.template.updated_at },
  });
  assertError(await send("PUT", `${PATH}/${before.id}`, {}), 400, { error: /^Provide at least one of: / });
});

Deno.test("DELETE templates returns success alone, and 409 while a rule sends the template", async () => {
  const template = await newTemplate(show);
  const rule = await newRule(show, { name: "Sender", actions: [emailTo("team", template)] });
  assertError(await send("DELETE", `${PATH}/${template.id}`), 409, { code: "TEMPLATE_IN_USE", error: /'Sender'/ });
  assert.equal((await send("DELETE", `/rules/${rule.id}`)).status, 200);
  const { status, body } = await send("DELETE", `${PATH}/${template.id}`);
  assert.deepEqual([status, body], [200, { success: true }]);
  for (const method of ["GET", "DELETE"]) {
    assertError(await send(method, `${PATH}/${template.id}`), 404, { error: "Template not found" });
  }
});

Deno.test("GET templates lists the podcast's templates, newest first, by category and page", async () => {
  const own = await podcast("Listed templates");
  const list = async (query = "") => (await send("GET", `${PATH}?podcast_id=${own.id}${query}`)).body;
  assert.deepEqual(await list(), { templates: [], total: 0 });
  const made = [];
  for (const category of ["guest", "episode", "guest"]) made.unshift(await newTemplate(own, { category }));
  const all = await list();
  assertKeys(all, "templates", "total");
  assert.deepEqual(all, { templates: made, total: 3 });
  assert.deepEqual(await list("&category=guest"), { templates: [made[0], made[2]], total: 2 });
  assert.deepEqual(await list("&limit=1&offset=1"), { templates: [made[1]], total: 3 });
  assert.deepEqual(await list("&category=guest&limit=1&offset=1"), { templates: [made[2]], total: 2 });
  assert.deepEqual(await list("&offset=3"), { templates: [], total: 3 });
});

Deno.test("GET templates returns 100 templates from the first one by default", async () => {
  const own = await podcast("A hundred templates");
  await sql`
    insert into public.automation_templates (podcast_id, name, subject, body_text, created_at)
    select ${own.id}, 'Template ' || n, 'Hi', 'Hi', now() - n * interval '1 second' from generate_series(1, 101) n`;
  const { templates, total } = (await send("GET", `${PATH}?podcast_id=${own.id}`)).body;
  assert.deepEqual([templates.length, templates[0].name, total], [100, "Template 1", 101]);
});

Deno.test("GET templates returns 400 that names an invalid query parameter", async () => {
  for (
    const [query, details] of [
      ["", /^podcast_id: /],
      ["podcast_id=x", /^podcast_id: /],
      [`podcast_id=${show.id}&podcast_id=${show.id}`, /^podcast_id: /],
      [`podcast_id=${show.id}&category=news`, /^category: /],
      ...["0", "201", "-1", "1e1", ""].map((limit) => [`podcast_id=${show.id}&limit=${limit}`, /^limit: /] as const),
      ...["-1", "100001", "x"].map((offset) => [`podcast_id=${show.id}&offset=${offset}`, /^offset: /] as const),
    ] as const
  ) {
    assertError(await send("GET", `${PATH}?${query}`), 400, { details });
  }
});

Deno.test("templates return 400 with the path of what is wrong", async () => {
  for (
    const [fields, details] of [
      [{ name: undefined }, /^name: /],
      [{ name: " \n" }, /^name: must be 1 to 200 characters/],
      [{ name: "x".repeat(201) }, /^name: must be 1 to 200 characters/],
      [{ description: null }, /^description: /],
      [{ category: "news" }, /^category: /],
      [{ subject: undefined }, /^subject: /],
      [{ subject: " " }, "subject: must not be empty"],
      [{ subject: "x".repeat(256) }, "subject: must be at most 255 characters"],
      [{ subject: "Hi {guest_first_name" }, "subject: the brace at character 4 is not part of a {tag}"],
      [{ subject: "Hi {unknown_tag}" }, "subject: unknown tag {unknown_tag}; see the table automation_tags"],
      [{ body_html: "<p>a}</p>" }, "body_html: the brace at character 5 is not part of a {tag}"],
      [{ body_html: "<p>{Guest}</p>" }, "body_html: unknown tag {Guest}; see the table automation_tags"],
      [{ body_html: "x".repeat(102_401) }, "body_html: must be at most 102,400 bytes"],
      [{ body_html: "<p> </p>" }, "body_html: must have visible content, or body_text must not be empty"],
      [{ body_text: "ä".repeat(51_201) }, "body_text: must be at most 102,400 bytes"],
      [{ body_text: "{}" }, /^body_text: /],
      [{ body_html: 1 }, /^body_html: /],
      [{ podcast: show.id }, 'Unrecognized key: "podcast"'],
    ] as const
  ) {
    const response = await send("POST", PATH, templateOf(show, fields));
    assertError(response, 400, { details });
    if (Object.values(fields)[0] !== undefined) {
      assertError(await send("PUT", `${PATH}/${kept.id}`, fields), 400, { details });
    }
  }
  assertError(await send("POST", PATH, templateOf(show, { description: "x".repeat(2001) })), 400);
  assertError(await send("POST", PATH), 400);
  assert.deepEqual((await send("GET", `${PATH}/${kept.id}`)).body.template, kept);
});

Deno.test("templates return 400 for a malformed id and 404 for an unknown one", async () => {
  for (const [method, json] of [["GET"], ["PUT", { name: "New" }], ["DELETE"]] as const) {
    assertError(await send(method, `${PATH}/nonsense`, json), 400, { details: /^id: / });
    assertError(await send(method, `${PATH}/${crypto.randomUUID()}`, json), 404, { error: "Template not found" });
  }
  assertError(await send("GET", `${PATH}?podcast_id=${crypto.randomUUID()}`), 404, { error: "Podcast not found" });
  assertError(await send("POST", PATH, templateOf({ id: crypto.randomUUID() })), 404, { error: "Podcast not found" });
  assertError(await send("POST", PATH, templateOf({ id: "nonsense" })), 400, { details: /^podcast_id: / });
});

Deno.test("templates return 409 at 200 templates and while the podcast's deletion is scheduled", async () => {
  const own = await podcast("Full of templates"), first = await newTemplate(own);
  await sql`
    insert into public.automation_templates (podcast_id, name, subject, body_text)
    select ${own.id}, 'Template ' || n, 'Hi', 'Hi' from generate_series(2, 200) n`;
  assertError(await send("POST", PATH, templateOf(own)), 409, { code: "TOO_MANY_AUTOMATIONS", error: /at most 200/ });
  await scheduleDeletion(own);
  const code = "PODCAST_PENDING_DELETION";
  assertError(await send("POST", PATH, templateOf(own)), 409, { code });
  assertError(await send("PUT", `${PATH}/${first.id}`, { name: "New" }), 409, { code });
  assertError(await send("DELETE", `${PATH}/${first.id}`), 409, { code });
  assert.equal((await send("GET", `${PATH}?podcast_id=${own.id}`)).body.total, 200);
});

Deno.test("templates accept bodies of 512 KB and return 413 for longer ones", async () => {
  const long = (bytes: number) => {
    const json = JSON.stringify(templateOf(show, { body_html: "" }));
    return json.replace('"body_html":""', `"body_html":"${"x".repeat(bytes - json.length)}"`);
  };
  for (const [method, path] of [["POST", PATH], ["PUT", `${PATH}/${kept.id}`], ["POST", `${PATH}/preview`]]) {
    const post = (body: string) =>
      sendRequest({ method, path: BASE + path, as: "admin", body, headers: { "content-type": "application/json" } });
    assertError(await post(long(512 * 1024)), 400);
    assertError(await post(long(512 * 1024 + 1)), 413, { error: "Request body too large" });
  }
});
