// /api/booking-links: admins manage what guests can book.
import assert from "node:assert/strict";
import {
  assertError,
  assertKeys,
  callRpc,
  person,
  podcast,
  type RequestOptions,
  scheduleDeletion,
  sendRequest,
  sql,
} from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";

const BASE = "/api/booking-links";
const show = await podcast("Links");
const RULE = { dayOfWeek: 1, startTime: "09:00", endTime: "24:00" };
const FIELDS = [
  ..."id podcast_id slug name description duration_minutes timezone buffer_before_minutes buffer_after_minutes".split(
    " ",
  ),
  ..."min_notice_hours max_advance_days availability_rules questions is_active created_at updated_at".split(" "),
];

const create = (json: object = {}, as: RequestOptions["as"] = "admin") =>
  sendRequest({
    method: "POST",
    path: BASE,
    as,
    json: { podcast_id: show.id, name: "Interview", timezone: "Europe/Berlin", ...json },
  });
const update = (id: string, json: object, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "PUT", path: `${BASE}/${id}`, as, json });
const remove = (id: string, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "DELETE", path: `${BASE}/${id}`, as });
const list = (podcastId = show.id, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "GET", path: `${BASE}?podcastId=${podcastId}`, as });
const newLink = async (json: object = {}): Promise<string> => (await create(json)).body.data.id;

const listing = () => Promise.resolve({ path: `${BASE}?podcastId=${show.id}` });
const creating = () =>
  Promise.resolve({ path: BASE, json: { podcast_id: show.id, name: "Interview", timezone: "UTC" } });
const kept = await newLink();
const changing = () => Promise.resolve({ path: `${BASE}/${kept}`, json: { name: "Interview" } });
const removing = async () => ({ path: `${BASE}/${await newLink()}` });
const ROUTES = {
  [`GET ${BASE}`]: listing,
  [`POST ${BASE}`]: creating,
  [`PUT ${BASE}/:id`]: changing,
  [`DELETE ${BASE}/:id`]: removing,
};
for (const [route, request] of Object.entries(ROUTES)) {
  assertAccessMatrix(route, request, { anon: 401, stranger: 403, member: 403 });
}

Deno.test("POST /api/booking-links creates a link with defaults, and all fields come back", async () => {
  const { status, body } = await create({ name: "A  chat" }, "owner");
  assert.equal(status, 201);
  assertKeys(body, "success", "data");
  assertKeys(body.data, ...FIELDS);
  const { id: _, created_at, updated_at, ...rest } = body.data;
  for (const time of [created_at, updated_at]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    podcast_id: show.id,
    slug: "a-chat",
    name: "A chat",
    description: "",
    duration_minutes: 60,
    timezone: "Europe/Berlin",
    buffer_before_minutes: 0,
    buffer_after_minutes: 0,
    min_notice_hours: null,
    max_advance_days: null,
    availability_rules: [],
    questions: [],
    is_active: true,
  });
  const all = {
    name: "Everything",
    slug: "all",
    description: "Line\nbreaks",
    duration_minutes: 5,
    timezone: "Pacific/Apia",
    buffer_before_minutes: 1,
    buffer_after_minutes: 720,
    min_notice_hours: 0,
    max_advance_days: 365,
    availability_rules: [RULE, RULE],
    questions: [{ id: "bio", label: "Who are you?", isRequired: true }],
    is_active: false,
  };
  const { id: __, podcast_id: ___, created_at: ____, updated_at: _____, ...made } = (await create(all)).body.data;
  assert.deepEqual(made, all);
});

Deno.test("PUT /api/booking-links/:id changes the named fields alone", async () => {
  const { body: { data: before } } = await create({ min_notice_hours: 3, availability_rules: [RULE] });
  const { status, body } = await update(before.id, { duration_minutes: 15, min_notice_hours: null });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    success: true,
    data: { ...before, duration_minutes: 15, min_notice_hours: null, updated_at: body.data.updated_at },
  });
  assertError(await update(before.id, {}), 400, { error: /^Provide at least one of: / });
});

Deno.test("GET /api/booking-links lists a podcast's links, oldest first", async () => {
  const { id } = await podcast("Listed");
  assert.deepEqual((await list(id)).body, { success: true, data: [] });
  const first = await newLink({ podcast_id: id, name: "First" });
  const second = await newLink({ podcast_id: id, name: "Second", is_active: false });
  const { body } = await list(id);
  assert.deepEqual(body.data.map(({ id }: { id: string }) => id), [first, second]);
  for (const link of body.data) assertKeys(link, ...FIELDS);
});

Deno.test("DELETE /api/booking-links/:id returns the id, or 409 while sessions are ahead", async () => {
  const id = await newLink();
  const [{ id: booking }] = await sql`
    insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, status, guest_name, guest_email)
    values (${id}, ${show.id}, 'Interview', now() - interval '1 minute', now() + interval '1 hour', 'confirmed', 'Gus',
      'gus@people.test') returning id`;
  assertError(await remove(id), 409, { code: "BOOKING_LINK_HAS_BOOKINGS" });
  const admin = await person("admin");
  const { error } = await admin.client.from("booking_links").delete().eq("id", id);
  assert.equal(error?.hint, "BOOKING_LINK_HAS_BOOKINGS");
  await sql`update public.bookings set end_time = now() where id = ${booking}`;
  const { status, body } = await remove(id);
  assert.deepEqual([status, body], [200, { success: true, data: { id } }]);
  assertError(await remove(id), 404);
  const [{ booking_link_id }] = await sql`select booking_link_id from public.bookings where id = ${booking}`;
  assert.equal(booking_link_id, null);
});

Deno.test("booking links return 400 that names what is wrong", async () => {
  for (
    const [json, details] of [
      [{ name: undefined }, /^name: /],
      [{ timezone: "Mars/Base" }, /^timezone: must be an IANA time zone/],
      [{ duration_minutes: 4 }, /^duration_minutes: /],
      [{ max_advance_days: 366 }, /^max_advance_days: /],
      [{ availability_rules: [RULE, { ...RULE, dayOfWeek: 7 }] }, /^availability_rules\.1\.dayOfWeek: /],
      [{ availability_rules: [{ ...RULE, endTime: "25:00" }] }, /^availability_rules\.0\.endTime: /],
      [
        { availability_rules: [RULE, { ...RULE, endTime: "08:59" }] },
        /^availability_rules\[1\]\.endTime: must be after/,
      ],
      [{ questions: [{ id: "a", label: "" }] }, /^questions\[0\]\.label: must be 1 to 300 characters/],
      [{ color: "red" }, /color/],
    ] as const
  ) {
    assertError(await create(json), 400, { details });
    if (!("name" in json)) assertError(await update(kept, json), 400, { details });
  }
});

Deno.test("booking links return 404, and 409 for a used slug and a podcast pending deletion", async () => {
  assertError(await update(crypto.randomUUID(), { name: "New" }), 404, { error: "Booking link not found" });
  assertError(await remove(crypto.randomUUID()), 404);
  assertError(await list(crypto.randomUUID()), 404, { error: "Podcast not found" });
  assertError(await create({ podcast_id: crypto.randomUUID() }), 404);
  await newLink({ slug: "used" });
  assertError(await create({ slug: "Used" }), 409, { code: "SLUG_TAKEN" });
  assertError(await update(kept, { slug: "used" }), 409, { code: "SLUG_TAKEN" });

  const leaving = await podcast("Leaving");
  const id = await newLink({ podcast_id: leaving.id });
  await scheduleDeletion(leaving);
  const code = "PODCAST_PENDING_DELETION";
  assertError(await create({ podcast_id: leaving.id }), 409, { code });
  assertError(await update(id, { name: "New" }), 409, { code });
  assertError(await remove(id), 409, { code });
  assert.equal((await list(leaving.id)).body.data.length, 1);
});

Deno.test("admins write booking links with supabase-js, members read none", async () => {
  const [admin, member] = [await person("admin"), await person("member")];
  const { data, error } = await admin.client.from("booking_links")
    .insert({ podcast_id: show.id, name: "By hand", timezone: "UTC" }).select().single();
  assert.deepEqual([error, data?.slug], [null, "by-hand"]);
  const wrong = await admin.client.from("booking_links").update({ availability_rules: [RULE, {}] }).eq("id", data.id);
  assert.equal(wrong.error?.details, "availability_rules[1].dayOfWeek: must be an integer from 0 (Sunday) to 6");
  assert.deepEqual((await member.client.from("booking_links").select()).data, []);
  assert.equal((await admin.client.from("booking_links").delete().eq("id", data.id)).error, null);
});

Deno.test("supabase-js creates, changes, lists and deletes booking links by function, as an admin alone", async () => {
  const [admin, member] = [await person("admin"), await person("member")];
  const { id: podcast_id } = await podcast("Links by function");
  const link = { podcast_id, name: "Call", timezone: "UTC" };
  assert.equal((await member.client.rpc("create_booking_link", link)).error?.code, "PT403");
  const { id } = await callRpc<{ id: string }>(admin, "create_booking_link", link);
  const results = [];
  for (
    const [name, args] of [
      ["update_booking_link", { booking_link_id: id, changes: { name: "Talk" } }],
      ["list_booking_links", { podcast_id }],
      ["delete_booking_link", { booking_link_id: id }],
    ] as const
  ) {
    const { status, error } = await member.client.rpc(name, args);
    assert.deepEqual([status, error?.code], [403, "PT403"], name);
    results.push(await callRpc(admin, name, args));
  }
  const [changed, listed, deleted] = results;
  assert.equal(changed.name, "Talk");
  assert.deepEqual(listed, [changed]);
  assert.deepEqual(deleted, { id });
});
