// Audio uploads whose storage or database fails: the error is reported, no orphan is left, the previous audio stays.
import assert from "node:assert/strict";
import {
  type ApiResponse,
  assertError,
  type Episode,
  episode,
  person,
  type Podcast,
  podcast,
  sendRequest,
  sql,
  stackInfo,
  waitFor,
} from "../http/harness.ts";
import { audioOf, objectsOf, upload } from "../http/api/audio.ts";
import type { FunctionsProcess } from "../functions.ts";
import { type FaultyFunctions, startFaultyFunctions, testBesideFaults, testWithFaults } from "./faulty_functions.ts";
import type { Fault } from "./storage_proxy.ts";

const show = await podcast("Unlucky"), { token } = await person("owner");

/** Uploads through functions whose storage has this fault. */
function put(functions: FaultyFunctions, pilot: Episode, fault: Fault, body = "some audio"): Promise<ApiResponse> {
  functions.storage.fault = fault;
  return send(functions, show, pilot, body);
}

const isUpload = ({ method }: Request) => method === "POST";
const down = () => new Response("the disk is full", { status: 507 });

testWithFaults(
  "an audio upload returns 500 without internals and leaves no object when storage rejects it",
  async (functions) => {
    const pilot = await episode(show);
    const response = await put(functions, pilot, (request) => isUpload(request) ? down() : undefined);
    assertError(response, 500, { error: "The file could not be stored" });
    assert.ok(!response.text.includes("disk"));
    assert.deepEqual(await objectsOf(pilot), []);
    assert.equal((await audioOf(pilot)).url, null);
  },
);

testWithFaults(
  "an audio upload returns 500 and removes the object when storage stores it but responds with an error",
  async (functions) => {
    const pilot = await episode(show);
    const response = await put(
      functions,
      pilot,
      (request, forward) =>
        isUpload(request)
          ? forward().then(async (stored) => {
            await stored.body?.cancel();
            return down();
          })
          : undefined,
    );
    assertError(response, 500);
    assert.deepEqual(await objectsOf(pilot), []);
  },
);

testWithFaults(
  "an audio upload returns 500 and removes the object when storage keeps fewer bytes than were sent",
  async (functions) => {
    const pilot = await episode(show);
    const response = await put(functions, pilot, (request) => {
      if (!isUpload(request)) return;
      const { pathname } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete("content-length");
      return fetch(stackInfo.url + pathname, { method: "POST", headers, body: "short" });
    });
    assertError(response, 500, { code: "SIZE_MISMATCH" });
    assert.deepEqual(await objectsOf(pilot), []);
    assert.equal((await audioOf(pilot)).url, null);
  },
);

testWithFaults("the removal of a failed audio upload is retried", async (functions) => {
  const pilot = await episode(show);
  let removals = 0;
  const response = await put(functions, pilot, (request, forward) => {
    if (isUpload(request)) return forward().then(async (stored) => (await stored.body?.cancel(), down()));
    if (request.method === "DELETE" && ++removals < 3) return down();
  });
  assertError(response, 500);
  assert.equal(removals, 3);
  assert.deepEqual(await objectsOf(pilot), []);
});

testWithFaults("a failed audio replacement keeps the previous audio and keeps serving it", async (functions) => {
  const pilot = await episode(show);
  const { body: before } = await put(functions, pilot, () => undefined, "the first");
  assertError(await put(functions, pilot, (request) => isUpload(request) ? down() : undefined), 500);
  assert.equal((await audioOf(pilot)).url, before.publicUrl);
  assert.deepEqual(await objectsOf(pilot), [before.path]);
  assert.equal(await (await fetch(before.publicUrl)).text(), "the first");
});

testBesideFaults(
  "a connection lost before the audio is written leaves no object and keeps the previous audio",
  async () => {
    // Functions of its own: a statement that was prepared before would not be seen
    await using functions = await startFaultyFunctions();
    const pilot = await episode(show);
    const { body: before } = await sendRequest({
      ...upload(show, pilot),
      method: "PUT",
      as: "admin",
      body: "the first",
    });
    let cuts = 0;
    functions.database.cuts = (sent) => sent.includes("finish_audio_upload") && ++cuts === 1;
    assertError(await send(functions, show, pilot, "the second"), 503);
    assert.equal(cuts, 1);
    assert.deepEqual(await objectsOf(pilot), [before.path]);
    assert.equal((await audioOf(pilot)).url, before.publicUrl);
  },
);

testWithFaults(
  "a connection lost while the audio is written removes no object that the episode references afterwards",
  async (functions) => {
    const cutOff = await podcast("Cut off", "cut-off"), { id } = await person("cut-off");
    const pilot = await episode(cutOff);
    assert.equal((await send(functions, cutOff, pilot, "the first")).status, 200);
    const before = await audioOf(pilot);
    const waiting = async () => {
      const rows = await sql<{ client_port: number; query: string }[]>`
      select client_port, query from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'functions'
        and query ~ 'finish_audio_upload|begin_object_removal'`;
      return rows.filter(({ client_port, query }) =>
        finishing.includes(client_port) || /begin_object_removal/.test(query)
      );
    };
    let finishing: number[] = [], response!: Promise<ApiResponse>;
    await sql.begin(async (t) => {
      await t`select from public.billing_accounts where user_id = ${id} for update`;
      response = send(functions, cutOff, pilot, "the second");
      await waitFor("the write waits for the account", async () => {
        finishing = functions.database.ports();
        return (await waiting()).length === 1;
      });
      functions.database.cut();
      // the removal now waits for the write; a removal that does not wait has deleted the object
      await waitFor(
        "the removal waits, or the object is removed",
        async () => (await waiting()).length > 1 || (await objectsOf(pilot)).length < 2,
      );
    });
    assertError(await response, 503); // the functions cannot know that the write succeeded
    const { url } = await audioOf(pilot);
    assert.notEqual(url, before.url);
    assert.equal(await (await fetch(url!)).text(), "the second");
  },
);

testWithFaults("an audio upload returns 503 and leaves no object when its statement is canceled", async (functions) => {
  const slow = await podcast("Slow", "slow"), { id } = await person("slow");
  const pilot = await episode(slow);
  let response!: Promise<ApiResponse>;
  await sql.begin(async (t) => {
    await t`select from public.billing_accounts where user_id = ${id} for update`;
    response = send(functions, slow, pilot, "too late");
    // as the statement timeout does after eight seconds
    await waitFor("the write is canceled", async () => {
      const canceled = await sql`
        select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'
          and query ~ 'finish_audio_upload' and client_port = any (${functions.database.ports()}::int[])`;
      return canceled.length === 1;
    });
    assertError(await response, 503, { error: "The database timed out" });
  });
  assert.deepEqual(await objectsOf(pilot), []);
  assert.equal((await audioOf(pilot)).url, null);
});

testWithFaults(
  "an audio upload leaves no object when the client disconnects within the body, with or without a length",
  async (functions) => {
    const pilot = await episode(show);
    for (
      const part of ["content-length: 1000\r\n\r\nhalf of it", "transfer-encoding: chunked\r\n\r\nA\r\nhalf of it\r\n"]
    ) {
      const bytesBefore = functions.database.bytes;
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: functions.port });
      const head = `PUT ${
        upload(show, pilot).path
      } HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: audio/mpeg\r\n`;
      await connection.write(new TextEncoder().encode(head + part));
      await waitFor(
        "the function begins to read the body",
        () => Promise.resolve(functions.database.bytes > bytesBefore),
      );
      connection.close();
    }
    const { body } = await send(functions, show, pilot, "all of it");
    assert.deepEqual(await objectsOf(pilot), [body.path]);
  },
);

/** Uploads through these functions, as an admin. */
async function send(functions: FunctionsProcess, show: Podcast, pilot: Episode, body: BodyInit): Promise<ApiResponse> {
  const { token } = await person("admin");
  const { path, headers } = upload(show, pilot);
  const response = await fetch(functions.url + path, {
    method: "PUT",
    headers: { ...headers, authorization: `Bearer ${token}` },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}
