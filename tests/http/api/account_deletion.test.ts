// DELETE /api/account and rpc delete_account: the caller's own account.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { requestTo } from "../../faults/every_route.ts";
import type { World } from "../../faults/world.ts";
import { seededRandom } from "../../random.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { routes } from "../declared_routes.ts";
import {
  addMember,
  assertError,
  callRpc,
  episode,
  newPerson,
  type Person,
  podcast,
  sendRequest,
  sql,
  stackInfo,
} from "../harness.ts";

const path = "/api/account";
const deleteAccount = (as: Person, json?: unknown) => sendRequest({ method: "DELETE", path, as, json });

assertAccessMatrix(`DELETE ${path}`, () => Promise.resolve({ path }), { anon: 401 });

Deno.test("DELETE /api/account returns 409 and names the podcasts while the caller owns one", async () => {
  const kim = await newPerson("kim");
  const first = await callRpc<{ id: string; slug: string }>(kim, "create_podcast", { title: "First" });
  const second = await callRpc<{ id: string; slug: string }>(kim, "create_podcast", { title: "Second" });
  const podcasts = [[first, "First"] as const, [second, "Second"] as const]
    .map(([{ id, slug }, title]) => ({ id, slug, title, status: "active" }));
  const error = "You still own podcasts; delete or transfer them first";
  assertError(await deleteAccount(kim), 409, { error, code: "ACCOUNT_OWNS_PODCASTS", podcasts, podcast_count: 2 });
  const rpc = await kim.client.rpc("delete_account");
  assert.deepEqual([rpc.status, rpc.error?.message, rpc.error?.hint], [409, error, "ACCOUNT_OWNS_PODCASTS"]);
  assert.deepEqual(JSON.parse(rpc.error!.details), { podcasts, podcast_count: 2 });
  assert.equal((await kim.client.auth.getUser()).data.user?.id, kim.id);
});

Deno.test("Auth returns 500 when an operator deletes a user who owns a podcast, and keeps the user", async () => {
  const kay = await newPerson("kay");
  await callRpc(kay, "create_podcast", { title: "Kept" });
  const remove = async (version: string) => {
    const headers = { apikey: stackInfo.secretKey, "x-supabase-api-version": version };
    const url = `${stackInfo.url}/auth/v1/admin/users/${kay.id}`;
    const response = await fetch(url, { method: "DELETE", headers });
    return [response.status, (await response.json()).message];
  };
  assert.deepEqual(await remove("2024-01-01"), [500, "Database error deleting user"]);
  // Auth passes the database's error on to clients without an API version
  assert.deepEqual(await remove(""), [409, "The owner cannot be removed; transfer the podcast first"]);
  assert.equal((await kay.client.auth.getUser()).data.user?.id, kay.id);
});

Deno.test("DELETE /api/account rejects a body with fields", async () => {
  assertError(await deleteAccount(await newPerson("strict"), { reason: "x" }), 400);
});

Deno.test("DELETE /api/account deletes the user and ends the sessions", async () => {
  const ben = await newPerson("ben");
  const { data: { session } } = await ben.client.auth.getSession();

  const { status, body, text } = await deleteAccount(ben);
  assert.equal(status, 200, text);
  assert.deepEqual(body, { success: true, data: { id: ben.id } });

  const again = createClient(stackInfo.url, stackInfo.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const refreshed = await again.auth.refreshSession({ refresh_token: session!.refresh_token });
  assert.equal(refreshed.error?.code, "refresh_token_not_found");
  const signedIn = await again.auth.signInWithPassword({ email: ben.email, password: "correct horse" });
  assert.equal(signedIn.error?.code, "invalid_credentials");
  assert.equal((await again.auth.getUser(ben.token)).data.user, null);
});

Deno.test("an account is deleted within ten minutes of a sign-in only, which refreshed tokens and rpc know", async () => {
  const ivy = await newPerson("ivy");
  const expected = {
    code: "REAUTHENTICATION_REQUIRED",
    error: "This needs a sign-in of the last ten minutes; sign in again, then repeat the request",
  };
  await sql`
    update auth.mfa_amr_claims set updated_at = updated_at - interval '10 minutes'
    where session_id in (select id from auth.sessions where user_id = ${ivy.id})`;
  const { data } = await ivy.client.auth.refreshSession();
  const token = data.session!.access_token;
  assertError(await deleteAccount({ ...ivy, token }), 403, expected);
  const { status, error } = await ivy.client.rpc("delete_account");
  assert.deepEqual([status, error?.message, error?.hint], [403, expected.error, expected.code]);

  // a refreshed token of a fresh sign-in keeps its time
  await ivy.client.auth.signInWithPassword({ email: ivy.email, password: "correct horse" });
  const signedInAt = async () =>
    (await ivy.client.auth.getClaims()).data?.claims.amr?.map((entry) => Object(entry).timestamp);
  const before = await signedInAt();
  await ivy.client.auth.refreshSession();
  assert.deepEqual(await signedInAt(), before);
  const deleted = await ivy.client.rpc("delete_account");
  assert.deepEqual([deleted.status, deleted.data], [200, { id: ivy.id }]);
});

Deno.test("the token of a deleted account is rejected by every route", async () => {
  const show = await podcast("Closed to ghosts"), pilot = await episode(show), ghost = await newPerson("ghost");
  await addMember(show, ghost, "admin");
  const json = { episodeId: pilot.id, email: `${crypto.randomUUID()}@guests.test`, displayName: "Gus" };
  const { body: { data: { guest, episodeGuest } } } = await sendRequest({
    method: "POST",
    path: "/api/guests",
    as: ghost,
    json,
  });
  const person = { sourceType: "external", name: "Eve", roleLabel: "Editor" };
  const { body: { data: eve } } = await sendRequest({
    method: "POST",
    path: `/api/episodes/${pilot.id}/people`,
    as: ghost,
    json: person,
  });
  const upload = { podcastId: show.id, episodeId: pilot.id, contentType: "audio/mpeg", filename: "a.mp3", fileSize: 9 };
  const { body: { uploadId } } = await sendRequest({
    method: "POST",
    path: "/api/media/audio/direct-upload",
    as: ghost,
    json: upload,
  });
  const [{ importId }] = await sql`
    insert into public.podcast_imports (podcast_id, created_by, feed_url, status, staged_at)
    values (${show.id}, ${ghost.id}, 'https://feeds.example/a.xml', 'preview', now()) returning id as "importId"`;
  const { body: { template } } = await sendRequest({
    method: "POST",
    path: "/api/automations/templates",
    as: ghost,
    json: { podcast_id: show.id, name: "News", subject: "News", body_text: "Out now." },
  });
  const actions = [{ action_type: "send_webhook", action_config: { url: "https://receiver.example/" } }];
  const { body: { rule } } = await sendRequest({
    method: "POST",
    path: "/api/automations/rules",
    as: ghost,
    json: { podcast_id: show.id, name: "Tell them", trigger_type: "episode.published", actions },
  });
  assert.equal((await deleteAccount(ghost)).status, 200);

  const world: Omit<World, keyof AsyncDisposable> = {
    functionsUrl: stackInfo.functionsUrl,
    shows: Array(4).fill(show),
    episodes: [{ ...pilot, show }],
    token: ghost.token,
    ownerId: ghost.id,
    workerSecret: "",
    host: "https://feeds.example/",
    known: {
      people: [`${pilot.id} ${eve.id}`],
      guests: [guest.id],
      episodeGuests: [episodeGuest.id],
      uploads: [uploadId],
      artwork: [`imports/${ghost.id}/${crypto.randomUUID()}.png`],
      transcripts: [crypto.randomUUID()],
      imports: [importId],
      items: [crypto.randomUUID()],
      messages: [crypto.randomUUID()],
      bookings: [crypto.randomUUID()],
      templates: [template.id],
      rules: [rule.id],
      actions: [rule.automation_actions[0].id],
      executions: [crypto.randomUUID()],
      addresses: [crypto.randomUUID()],
    },
    linkId: crypto.randomUUID(),
    bookedIds: () => [],
    bookingToken: () => "",
    addressToken: () => "",
    env: { SMTP_URL: "", MAIL_FROM: "" },
    guestToken: () => "none",
  };
  const statuses: Record<string, number> = {};
  for (const { method, path } of routes.filter(({ security }) => security === "user")) {
    const route = `${method} ${path}`;
    const sent = requestTo(route, world as World, seededRandom(1));
    const { status } = await sendRequest({
      method,
      path: `${sent.path}?${new URLSearchParams(sent.query)}`,
      as: ghost,
      json: sent.json,
      body: sent.body as BodyInit | undefined,
      headers: sent.type ? { "content-type": sent.type } : {},
    });
    statuses[route] = status;
  }
  const accepted = Object.entries(statuses).filter(([, status]) => ![400, 403, 404].includes(status));
  assert.deepEqual(accepted, []);
  assert.ok(Object.values(statuses).filter((status) => status !== 400).length > 25, JSON.stringify(statuses));
});
