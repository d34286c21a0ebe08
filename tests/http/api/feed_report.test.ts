// GET /api/podcasts/{id}/feed-report: what the served feed does not follow, for the team.
import assert from "node:assert/strict";
import { assertAccessMatrix } from "../access_matrix.ts";
import {
  assertError,
  assertKeys,
  callRpc,
  episode,
  person,
  type Podcast,
  podcast,
  type RequestOptions,
  sendRequest,
  sql,
  waitFor,
} from "../harness.ts";
import { FeedReportResponse } from "../../../types/feed_report.ts";
import { put as putAudio } from "./audio.ts";

interface Finding {
  rule: string;
  severity: string;
  place: { kind: string; episodeId?: string; episodeTitle?: string };
  tag: string;
  excerpt?: string;
}

const request = ({ id }: { id: string }, query = "", as: RequestOptions["as"] = "member") =>
  sendRequest({ method: "GET", path: `/api/podcasts/${id}/feed-report${query}`, as });

/** The report after the worker rendered what the podcast's rows have now. */
async function report(show: Podcast, isExpected: (findings: Finding[]) => boolean) {
  return await waitFor("the report", async () => {
    const { status, text, body } = await request(show);
    if (status === 409) return; // not rendered yet
    assert.equal(status, 200, text);
    FeedReportResponse.parse(body);
    return isExpected(body.data.findings) ? body : undefined;
  }, 30);
}
const has = (rule: string) => (findings: Finding[]) => findings.some((finding) => finding.rule === rule);
const lacks = (rule: string) => (findings: Finding[]) => !has(rule)(findings);
const rulesOf = ({ data }: { data: { findings: Finding[] } }, severity: string) =>
  data.findings.filter((finding) => finding.severity === severity).map(({ rule }) => rule);

const shown = await podcast("Reported");
await report(shown, () => true);
const route = () => Promise.resolve({ path: `/api/podcasts/${shown.id}/feed-report` });
assertAccessMatrix("GET /api/podcasts/:id/feed-report", route, { anon: 401, stranger: 403 });

Deno.test("GET feed-report of a new podcast warns of cover, category, description and owner, and advises", async () => {
  const body = await report(shown, () => true);
  assertKeys(body, "success", "data", "pagination");
  assertKeys(body.data, "checkedAt", "feedUrl", "counts", "findings");
  assert.deepEqual(rulesOf(body, "error"), []);
  assert.deepEqual(rulesOf(body, "warning"), [
    ...["artwork", "category", "show-description", "owner-missing"],
    ...["https", "https"], // the stack's own URLs
  ]);
  assert.deepEqual(rulesOf(body, "advice"), ["episodes", "author", "owner-verification"]);
  assert.deepEqual(body.data.counts, { error: 0, warning: 6, advice: 3 });
  assert.deepEqual(body.pagination, { nextCursor: null, hasMore: false });
  assert.match(body.data.feedUrl, new RegExp(`/feeds/${shown.slug}\\.xml$`));
  assert.ok(Date.parse(body.data.checkedAt) <= Date.now() + 1000);
  assert.deepEqual(body.data.findings[0], {
    rule: "artwork",
    severity: "warning",
    place: { kind: "channel" },
    tag: "itunes:image",
    message: "The podcast has no artwork, which directories require",
    action: "Upload a square JPEG or PNG of 1400 to 3000 pixels",
    specUrl: "https://github.com/Podcast-Standards-Project/PSP-1-Podcast-RSS-Specification#channel-itunes-image",
  });
});

Deno.test("GET feed-report reports each severity of an episode, and no finding that was corrected", async () => {
  const show = await podcast("Corrected"), pilot = await episode(show, "Episode 1: Pilot");
  const owner = await person("owner");
  await putAudio(show, pilot);
  await callRpc(owner, "publish_episode", { episode_id: pilot.id });
  const before = await report(show, has("title-numbers"));
  const place = { kind: "episode", episodeId: pilot.id, episodeTitle: "Episode 1: Pilot" };
  const titled = before.data.findings.find(({ rule }: Finding) => rule === "title-numbers");
  assert.deepEqual([titled.severity, titled.tag, titled.excerpt, titled.place], [
    "advice",
    "title",
    "Episode 1: Pilot",
    place,
  ]);
  assert.ok(!has("episodes")(before.data.findings));

  // the service alone writes these columns
  await sql`update public.episodes set audio_url = 'nowhere', audio_file_size_bytes = 0 where id = ${pilot.id}`;
  const broken = await report(show, has("item-enclosure"));
  assert.deepEqual(rulesOf(broken, "error"), ["item-enclosure"]);
  assert.ok(rulesOf(broken, "warning").includes("enclosure-length"));
  assert.equal(broken.data.findings[0].rule, "item-enclosure");
  assert.match(broken.data.findings[0].excerpt, /^url="nowhere" length="0" type="audio\/mpeg"$/);

  await sql`
    update public.episodes set audio_url = 'https://media.test/1.mp3', audio_file_size_bytes = 9 where id = ${pilot.id}`;
  const { error } = await owner.client.from("episodes").update({ title: "Pilot" }).eq("id", pilot.id);
  assert.equal(error, null);
  const after = await report(show, (findings) => lacks("item-enclosure")(findings) && lacks("title-numbers")(findings));
  assert.deepEqual(rulesOf(after, "error"), []);
  assert.ok(lacks("enclosure-length")(after.data.findings));
});

Deno.test("GET feed-report returns pages of `limit` findings", async () => {
  const first = await request(shown, "?limit=3");
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(first.body.data.counts, { error: 0, warning: 6, advice: 3 });
  const { nextCursor } = first.body.pagination;
  const rest = await request(shown, `?limit=6&cursor=${encodeURIComponent(nextCursor)}`);
  const all = await request(shown);
  assert.deepEqual([...first.body.data.findings, ...rest.body.data.findings], all.body.data.findings);
  assert.deepEqual(rest.body.pagination, { nextCursor: null, hasMore: false });
});

Deno.test("GET feed-report returns 400 for an invalid limit, cursor or id, and 404 for an unknown podcast", async () => {
  assertError(await request({ id: crypto.randomUUID() }), 404);
  for (const limit of ["0", "501", "x", ""]) {
    assertError(await request(shown, `?limit=${limit}`), 400, { details: /^limit: / });
  }
  assertError(await request(shown, "?cursor=x"), 400);
  assertError(await request({ id: "x" }), 400, { details: /^id: / });
});

Deno.test("GET feed-report returns 409 before the feed is rendered", async () => {
  await sql`delete from private.feed_documents where podcast_id = ${shown.id}`;
  assertError(await request(shown), 409, { code: "FEED_NOT_RENDERED", error: /in a few seconds$/ });
  const { error } = await (await person("owner")).client.from("podcasts").update({ title: "Reported again" })
    .eq("id", shown.id);
  assert.equal(error, null);
  await report(shown, () => true);
});
