// /api/automations/templates: the emails that automations send.
import assert from "node:assert/strict";
import { assertError, assertKeys, podcast, sendRequest } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, newTemplate, send, templateOf } from "./automations.ts";

const show = await podcast("Templates");
const FIELDS = "id podcast_id name description category subject body_html body_text has_button created_at updated_at"
  .split(" ");
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
    has_button: true,
  });
});

Deno.test("PUT templates changes the named fields alone", async () => {
  const before = await newTemplate(show, { description: "Kept" });
  const { status, body } = await send("PUT", `${PATH}/${before.id}`, {
    category: "guest",
    body_text: "Bye",
    has_button: false,
  });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    template: {
      ...before,
      category: "guest",
      body_text: "Bye",
      has_button: false,
      updated_at: body.template.updated_at,
    },
  });
});

Deno.test("PUT templates with no field, or with what GET returned, returns the same template", async () => {
  const template = await newTemplate(show, { description: "Kept" });
  for (const json of [{}, template, { id: null, created_at: 7 }]) {
    const { status, text, body } = await send("PUT", `${PATH}/${template.id}`, json);
    assert.equal(status, 200, text);
    assert.deepEqual(body, { template });
  }
  const cleared = await send("PUT", `${PATH}/${template.id}`, { description: null });
  assert.equal(cleared.body.template.description, "");
  assert.equal((await newTemplate(show, { description: null })).description, "");
});

Deno.test("GET templates returns 400 that names an invalid query parameter", async () => {
  for (
    const [query, details] of [
      ["", /^podcast_id: /],
      ["podcast_id=x", /^podcast_id: /],
      [`podcast_id=${show.id}&podcast_id=${show.id}`, /^podcast_id: /],
      [`podcast_id=${show.id}&category=news`, /^category: /],
      ...["0", "-1", "1e1", "1.5", ""].map((limit) => [`podcast_id=${show.id}&limit=${limit}`, /^limit: /] as const),
      ...["-1", "100001", "x"].map((offset) => [`podcast_id=${show.id}&offset=${offset}`, /^offset: /] as const),
    ] as const
  ) {
    assertError(await send("GET", `${PATH}?${query}`), 400, { details });
  }
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

Deno.test("GET templates/:id returns body_html as it was written, and DELETE success alone", async () => {
  const body_html = `<p onclick="x()">Hi <b>{guest_first_name}</b></p>`, made = await newTemplate(show, { body_html });
  const { status, body } = await send("GET", `${PATH}/${made.id}`);
  assert.deepEqual([status, body], [200, { template: { ...made, body_html } }]);
  const deleted = await send("DELETE", `${PATH}/${made.id}`);
  assert.deepEqual([deleted.status, deleted.body], [200, { success: true }]);
});

Deno.test("GET templates lists a podcast's templates by category and page", async () => {
  const own = await podcast("Listed templates"), made = [];
  for (const category of ["guest", "episode", "guest"]) made.unshift(await newTemplate(own, { category }));
  const list = async (query = "") => (await send("GET", `${PATH}?podcast_id=${own.id}${query}`)).body;
  assert.deepEqual(await list(), { templates: made, total: 3 });
  assert.deepEqual(await list("&category=guest&limit=1&offset=1"), { templates: [made[2]], total: 2 });
  for (const limit of ["201", "007", "9".repeat(400)]) {
    assert.deepEqual(await list(`&limit=${limit}`), { templates: made, total: 3 });
  }
});

Deno.test("templates return 400 that names an invalid field", async () => {
  for (
    const [fields, details] of [
      [{ name: " \n" }, /^name: must be 1 to 200 characters/],
      [{ description: 1 }, /^description: /],
      [{ color: "red" }, 'Unrecognized key: "color"'],
      [{ category: "news" }, /^category: /],
      [{ subject: 1 }, /^subject: /],
      [{ body_html: 1 }, /^body_html: /],
      [{ body_html: "{host_name}".repeat(301) }, "body_html: must have at most 300 {tags}"],
      [{ has_button: null }, /^has_button: /],
      [{ body_text: "Hi {unknown_tag}" }, "body_text: unknown tag {unknown_tag}; see the table automation_tags"],
    ] as const
  ) {
    assertError(await send("POST", PATH, templateOf(show, fields)), 400, { details });
    assertError(await send("PUT", `${PATH}/${kept.id}`, fields), 400, { details });
  }
  assertError(await send("POST", PATH, templateOf(show, { name: undefined })), 400, { details: /^name: / });
  assertError(await send("POST", PATH, templateOf({ id: "nonsense" })), 400, { details: /^podcast_id: / });
});

Deno.test("templates return 400 for a malformed id and 404 for an unknown one", async () => {
  for (const [method, json] of [["GET"], ["PUT", { name: "New" }], ["DELETE"]] as const) {
    assertError(await send(method, `${PATH}/nonsense`, json), 400, { details: /^id: / });
    assertError(await send(method, `${PATH}/${crypto.randomUUID()}`, json), 404, { error: "Template not found" });
  }
  const unknown = { id: crypto.randomUUID() };
  assertError(await send("GET", `${PATH}?podcast_id=${unknown.id}`), 404, { error: "Podcast not found" });
  assertError(await send("POST", PATH, templateOf(unknown)), 404, { error: "Podcast not found" });
});
