// Uploads whose storage or database fails half-way: the answer is honest, nothing is orphaned, the old audio stays.
import assert from "node:assert/strict";
import {
  type Answer,
  at,
  type Episode,
  episode,
  eventually,
  isRefused,
  person,
  podcast,
  sql,
} from "../http/harness.ts";
import { audioOf, objectsOf, type Upload, upload } from "../http/api/audio.ts";
import { startFunctions } from "../functions.ts";
import { type Fault, startStorageProxy } from "./storage_proxy.ts";

const show = await podcast("Unlucky"), { token } = await person("owner");

/** Uploads through functions whose storage has this fault. */
async function put(pilot: Episode, fault: Fault, options?: Upload): Promise<Answer> {
  await using storage = startStorageProxy(at);
  await using functions = await startFunctions(at, { SUPABASE_URL: storage.url });
  storage.fault = fault;
  const { path, headers, body } = upload(show, pilot, options);
  const response = await fetch(functions.url + path, {
    method: "PUT",
    headers: { ...headers, authorization: `Bearer ${token}` },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const isUpload = ({ method }: Request) => method === "POST";
const down = () => new Response("the disk is full", { status: 507 });

Deno.test("Storage that refuses is a 500 without internals, and nothing is left", async () => {
  const pilot = await episode(show);
  const answer = await put(pilot, (request) => isUpload(request) ? down() : undefined);
  isRefused(answer, 500, { error: "The file could not be stored" });
  assert.ok(!answer.text.includes("disk"));
  assert.deepEqual(await objectsOf(pilot), []);
  assert.equal((await audioOf(pilot)).url, null);
});

Deno.test("Storage that stores and then fails to say so is a 500, and the object is removed", async () => {
  const pilot = await episode(show);
  const answer = await put(pilot, (request, passOn) =>
    isUpload(request)
      ? passOn().then(async (stored) => {
        await stored.body?.cancel();
        return down();
      })
      : undefined);
  isRefused(answer, 500);
  assert.deepEqual(await objectsOf(pilot), []);
});

Deno.test("Storage that keeps fewer bytes than it got is a 500, and the object is removed", async () => {
  const pilot = await episode(show);
  const answer = await put(pilot, (request) => {
    if (!isUpload(request)) return;
    const { pathname } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("content-length");
    return fetch(at.url + pathname, { method: "POST", headers, body: "short" });
  });
  isRefused(answer, 500, { code: "SIZE_MISMATCH" });
  assert.deepEqual(await objectsOf(pilot), []);
  assert.equal((await audioOf(pilot)).url, null);
});

Deno.test("A removal that fails at first is tried again", async () => {
  const pilot = await episode(show);
  let removals = 0;
  const answer = await put(pilot, (request, passOn) => {
    if (isUpload(request)) return passOn().then(async (stored) => (await stored.body?.cancel(), down()));
    if (request.method === "DELETE" && ++removals < 3) return down();
  });
  isRefused(answer, 500);
  assert.equal(removals, 3);
  assert.deepEqual(await objectsOf(pilot), []);
});

Deno.test("A failed replacement keeps the previous audio, and keeps serving it", async () => {
  const pilot = await episode(show);
  const { body: before } = await put(pilot, () => undefined, { body: "the first" });
  isRefused(await put(pilot, (request) => isUpload(request) ? down() : undefined), 500);
  assert.equal((await audioOf(pilot)).url, before.publicUrl);
  assert.deepEqual(await objectsOf(pilot), [before.path]);
  assert.equal(await (await fetch(before.publicUrl)).text(), "the first");
});

Deno.test("A database that drops the connection before the audio is written leaves no object", async () => {
  const pilot = await episode(show);
  const answer = await put(pilot, (request, passOn) =>
    isUpload(request)
      ? passOn().then(async (stored) => {
        await dropConnections();
        return stored;
      })
      : undefined);
  // The pool may have found another connection in time: then all went well
  if (answer.status === 200) assert.deepEqual(await objectsOf(pilot), [answer.body.path]);
  else await eventually("nothing is left", async () => (await objectsOf(pilot)).length === 0);
});

/** Ends every session of functions, as a database that restarts does. */
const dropConnections = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'functions' and pid <> pg_backend_pid()`;
