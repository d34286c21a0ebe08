// The round trips of an audio upload to the database, counted by a proxy.
import assert from "node:assert/strict";
import { startQueryCounter } from "../../../bench/query_counter.ts";
import { startFunctions } from "../../functions.ts";
import { fetchDocumented } from "../documented_responses.ts";
import { episode, person, podcast, stackInfo } from "../harness.ts";
import { upload } from "./audio.ts";

const show = await podcast("Counted uploads"), { token } = await person("owner");

Deno.test("an audio upload waits for the database twice with a Content-Length, three times without", async () => {
  await using counter = startQueryCounter(stackInfo.dbUrl);
  await using functions = await startFunctions(stackInfo, { SUPABASE_DB_URL: counter.url });
  const roundTrips = async (body: BodyInit) => {
    const { path, headers } = upload(show, await episode(show));
    counter.take();
    const response = await fetchDocumented(functions.url + path, {
      method: "PUT",
      headers: { ...headers, authorization: `Bearer ${token}` },
      body,
    });
    assert.equal(response.status, 200, await response.text());
    return counter.take().roundTrips;
  };
  await roundTrips("opens the connections");
  await roundTrips(stream("opens the connections"));
  assert.equal(await roundTrips("some audio"), 2, "begin_audio_upload, finish_audio_upload");
  assert.equal(await roundTrips(stream("some audio")), 3, "authorize_audio_upload before them");
});

/** A body without a length. */
const stream = (text: string) => new Response(text).body!.pipeThrough(new TransformStream());
