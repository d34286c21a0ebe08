// /transcripts/{file}, /v1/episodes/{episodeId}/transcripts and /chapters/{episodeId}.json, without a login, and the
// tags of the feed that name them.
import assert from "node:assert/strict";
import { childrenNamed, parseXml } from "../../feed_writer/fixture.ts";
import { violations } from "../../feed_writer/conformance.ts";
import { put as putAudio } from "../api/audio.ts";
import { uploaded } from "../api/transcripts.ts";
import { fetchDocumented } from "../documented_responses.ts";
import { assertError, callRpc, episode, person, podcast, sendRequest, sql, stackInfo, waitFor } from "../harness.ts";

const show = await podcast("Read aloud"), pilot = await episode(show), draft = await episode(show, "Draft");
await putAudio(show, pilot);
await callRpc(await person("owner"), "publish_episode", { episode_id: pilot.id });
const vtt = await uploaded(show, pilot, { query: { language: "en" } });
const html = await uploaded(show, pilot, { type: "text/html" });
const secret = await uploaded(show, draft);
const chapters = JSON.stringify({ version: "1.2.0", chapters: [{ startTime: 1.5, title: "One" }] });
await uploaded(show, pilot, { type: "application/json+chapters", body: chapters });
await uploaded(show, draft, { type: "application/json+chapters", body: chapters });

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  sendRequest({ method, path: `/public${path}`, headers });
const file = (id: string, extension: string) => `/transcripts/${id}.${extension}`;

Deno.test("a stored WebVTT transcript is returned as SubRip and JSON, with an ETag and CORS headers", async () => {
  const expected = {
    srt: [
      "application/x-subrip; charset=utf-8",
      "1\n00:00:00,000 --> 00:00:01,500\nAna: Hello ü\n\n2\n00:00:02,000 --> 00:00:03,000\nBye\n",
    ],
    json: [
      "application/json",
      '{"version":"1.0.0","segments":[{"speaker":"Ana","startTime":0,"endTime":1.5,"body":"Hello ü"},' +
      '{"startTime":2,"endTime":3,"body":"Bye"}]}',
    ],
  };
  for (const [extension, [type, text]] of Object.entries(expected)) {
    const path = file(vtt.transcriptId, extension);
    for (const round of [1, 2]) {
      const response = await get(path);
      assert.deepEqual([response.status, response.text], [200, text], `${round}`);
      assert.equal(response.headers.get("content-type"), type);
      assert.equal(response.headers.get("cache-control"), "public, max-age=60, stale-if-error=600, no-transform");
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
      const etag = response.headers.get("etag")!.replace(/^W\//, ""); // the gateway compresses
      assert.equal((await get(path, { "if-none-match": etag })).status, 304);
      const head = await get(path, {}, "HEAD");
      assert.deepEqual([head.status, head.text, head.headers.get("etag")!], [200, "", etag]);
      assert.equal(head.headers.get("content-length"), String(new TextEncoder().encode(text).length));
    }
  }
});

Deno.test("SubRip and JSON transcripts are returned in the other formats with times", async () => {
  for (const type of ["application/x-subrip", "application/json"]) {
    const { transcriptId } = await uploaded(show, pilot, { type, query: { language: "x-other" } });
    const { text, headers } = await get(file(transcriptId, "vtt"));
    assert.equal(text, "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello\n");
    assert.equal(headers.get("content-type"), "text/vtt; charset=utf-8");
    await sql`delete from public.episode_transcripts where id = ${transcriptId}`;
  }
});

Deno.test("an HTML transcript is returned as plain text, with its speakers and paragraphs and without tags", async () => {
  const body = "<cite>Ana:</cite> <time>0:00</time><p>Hello &amp; <b>welcome</b>.</p><p>Line<br>break</p>" +
    "<cite>Ben:</cite><p>Thanks</p><script>x()</script>";
  const { transcriptId } = await uploaded(show, pilot, { type: "text/html", query: { language: "nl" }, body });
  const path = file(transcriptId, "txt"), { status, headers, text } = await get(path);
  assert.deepEqual(
    [status, headers.get("content-type"), text],
    [200, "text/plain; charset=utf-8", "Ana: 0:00\n\nHello & welcome.\n\nLine\nbreak\n\nBen:\n\nThanks\n"],
  );
  const etag = headers.get("etag")!.replace(/^W\//, "");
  assert.equal((await get(path, { "if-none-match": etag })).status, 304);
  await sql`delete from public.episode_transcripts where id = ${transcriptId}`;
});

Deno.test("a transcript in its own format redirects to the stored file", async () => {
  for (const [{ transcriptId, publicUrl }, extension] of [[vtt, "vtt"], [html, "html"]]) {
    const response = await fetchDocumented(`${stackInfo.functionsUrl}/public${file(transcriptId, extension)}`, {
      redirect: "manual",
    });
    await response.body?.cancel();
    assert.deepEqual([response.status, response.headers.get("location")], [302, publicUrl]);
    assert.equal(response.headers.get("cache-control"), "public, max-age=60, stale-if-error=600, no-transform");
  }
});

Deno.test("a replaced transcript is returned under its URL with the new content", async () => {
  const first = await uploaded(show, pilot, { query: { language: "fr" } });
  assert.match((await get(file(first.transcriptId, "srt"))).text, /Ana: Hello/);
  await uploaded(show, pilot, { query: { language: "fr" }, body: "WEBVTT\n\n00:00.000 --> 00:01.000\nSalut" });
  assert.match((await get(file(first.transcriptId, "srt"))).text, /\nSalut\n/);
  await sql`delete from public.episode_transcripts where id = ${first.transcriptId}`;
  assertError(await get(file(first.transcriptId, "srt")), 404);
});

Deno.test("/transcripts returns 404 for other formats, drafts and unknown ids, and 400 for other names", async () => {
  for (
    const path of [
      file(html.transcriptId, "vtt"),
      file(vtt.transcriptId, "txt"),
      file(vtt.transcriptId, "html"),
      file(secret.transcriptId, "vtt"),
      file(secret.transcriptId, "json"),
      file(crypto.randomUUID(), "vtt"),
    ]
  ) assertError(await get(path), 404);
  assertError(await get(file(vtt.transcriptId, "pdf")), 400);
  assertError(await get("/transcripts/none.vtt"), 400);
});

Deno.test("/v1/episodes/{episodeId}/transcripts lists transcripts with their formats", async () => {
  const { status, body } = await get(`/v1/episodes/${pilot.id}/transcripts`);
  assert.equal(status, 200);
  const url = (id: string, extension: string) => `${stackInfo.functionsUrl}/public${file(id, extension)}`;
  assert.deepEqual(body, {
    success: true,
    data: [
      {
        id: vtt.transcriptId,
        type: "text/vtt",
        language: "en",
        rel: null,
        url: vtt.publicUrl,
        formats: [
          { type: "text/vtt", url: url(vtt.transcriptId, "vtt") },
          { type: "application/x-subrip", url: url(vtt.transcriptId, "srt") },
          { type: "application/json", url: url(vtt.transcriptId, "json") },
        ],
      },
      {
        id: html.transcriptId,
        type: "text/html",
        language: null,
        rel: null,
        url: html.publicUrl,
        formats: [
          { type: "text/html", url: url(html.transcriptId, "html") },
          { type: "text/plain", url: url(html.transcriptId, "txt") },
        ],
      },
    ],
  });
  assertError(await get(`/v1/episodes/${draft.id}/transcripts`), 404);
  assertError(await get("/v1/episodes/none/transcripts"), 400);
});

Deno.test("/chapters/{episodeId}.json returns the chapters of a published episode, and their URLs as URIs", async () => {
  await sql`update public.episode_chapters set url = 'https://x.test/ü', image_url = 'https://x.test/a.png?é'
    where episode_id = ${pilot.id}`;
  const path = `/chapters/${pilot.id}.json`, response = await get(path);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json+chapters");
  assert.equal(response.headers.get("cache-control"), "public, max-age=60, stale-if-error=600, no-transform");
  assert.deepEqual(JSON.parse(response.text), {
    version: "1.2.0",
    title: "Pilot",
    podcastName: "Read aloud",
    chapters: [{
      startTime: 1.5,
      title: "One",
      url: "https://x.test/%C3%BC",
      img: "https://x.test/a.png?%C3%A9",
    }],
  });
  assert.equal((await get(path, { "if-none-match": response.headers.get("etag")! })).status, 304);
  assertError(await get(`/chapters/${draft.id}.json`), 404);
  assertError(await get("/chapters/none.json"), 400);
});

Deno.test("the feed names transcripts and our chapters, and follows each change of them", async () => {
  const { client } = await person("admin");
  /** Of the item, which the first rendering adds. */
  const tags = async (name: string) => {
    const { text } = await get(`/feeds/${show.slug}.xml`);
    assert.deepEqual(violations(text), []);
    return childrenNamed(parseXml(text).children[0], "item").flatMap((item) => childrenNamed(item, name))
      .map(({ attributes }) => attributes);
  };
  const transcripts = [
    { url: vtt.publicUrl, type: "text/vtt", language: "en" },
    { url: html.publicUrl, type: "text/html" },
  ];
  await waitFor("the feed has the transcripts", async () => {
    return JSON.stringify(await tags("podcast:transcript")) === JSON.stringify(transcripts);
  });
  const type = "application/json+chapters";
  const chapters = [{ url: `${stackInfo.functionsUrl}/public/chapters/${pilot.id}.json`, type }];
  await waitFor("the feed has our chapters", async () => {
    return JSON.stringify(await tags("podcast:chapters")) === JSON.stringify(chapters);
  });
  await client.from("episode_transcripts").update({ rel: "captions" }).eq("id", html.transcriptId);
  await waitFor("the feed has the changed rel", async () => (await tags("podcast:transcript"))[1]?.rel === "captions");
  await client.from("episodes").update({ chapters_url: "https://x.test/c.json" }).eq("id", pilot.id);
  await client.from("episode_chapters").delete().eq("episode_id", pilot.id);
  await waitFor("the feed has the chapters of another host", async () => {
    return JSON.stringify(await tags("podcast:chapters")) === JSON.stringify([{ url: "https://x.test/c.json", type }]);
  });
});
