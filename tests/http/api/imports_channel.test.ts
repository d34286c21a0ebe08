// The channel of an imported feed: shown, applied on confirmation, and reported.
import assert from "node:assert/strict";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertError, assertKeys, person, sendRequest, sql, waitFor } from "../harness.ts";
import { ConfirmImportRequest } from "../../../types/imports.ts";
import { jpeg } from "../../image_fixtures.ts";
import { allBytes, mp3 } from "../../worker/source.ts";
import { httpResponse, source } from "./artwork.ts";
import { BASE, done, episodes, feed, get, locked, newAddress, ownerEmail, post, started } from "./imports.ts";

const confirm = (id: string, applyChannel: unknown) =>
  post(id, "confirm", { applyDetectedEpisodeNumbers: false, limit: 0, applyChannel });

const channel = (email: string) =>
  `<description>All about trains; write to ${email}</description><language>de</language>
<itunes:author>Jane Doe</itunes:author>${ownerEmail(email)}<itunes:category text="Comedy"/>
<itunes:type>serial</itunes:type><itunes:explicit>yes</itunes:explicit><copyright>Jane Doe</copyright>
<link>https://trains.example/</link>`;

Deno.test("GET of an import returns the fields of the channel, with the owner's address masked", async () => {
  const email = newAddress();
  const { id } = await started(feed(episodes(1), channel(email)));
  const { text, body } = await get(id);
  assert.deepEqual(body.data.channel, {
    title: "Night Trains",
    description: "All about trains; write to o***@f***.test",
    language: "de",
    author: "Jane Doe",
    owner: { email: "o***@f***.test" },
    categories: [{ category: "Comedy" }],
    type: "serial",
    explicit: true,
    copyright: "Jane Doe",
    link: "https://trains.example/",
  });
  assert.ok(!text.includes(email));
});

const GUID = "469b403f-db2d-574c-9db9-96dbb4f6561c";
const allFields = `${channel("jane@feeds.test")}<podcast:medium>music</podcast:medium>
<itunes:image href="https://trains.example/cover.jpg"/><itunes:block>yes</itunes:block>
<itunes:complete>yes</itunes:complete><podcast:license url="https://trains.example/l">mine</podcast:license>
<podcast:person>Jane</podcast:person><podcast:funding url="https://trains.example/give">Help</podcast:funding>
<podcast:location>Graz</podcast:location><podcast:updateFrequency>Weekly</podcast:updateFrequency>
<podcast:podroll><podcast:remoteItem feedGuid="${GUID}"/></podcast:podroll><podcast:remoteItem feedGuid="${GUID}"/>
<podcast:publisher><podcast:remoteItem medium="publisher" feedGuid="${GUID}"/></podcast:publisher>
<podcast:block id="spotify">yes</podcast:block><podcast:image href="https://trains.example/i.png"/>
<podcast:socialInteract protocol="disabled"/><podcast:value type="lightning" method="keysend">
<podcast:valueRecipient type="node" address="a" split="100"/></podcast:value>
<itunes:keywords>trains</itunes:keywords><category>Rail</category><podcast:chat server="irc.example" protocol="irc"/>`;

Deno.test("ImportChannel has exactly the fields that a channel can have, and confirm applies them all", async () => {
  const { id, show } = await started(feed(episodes(1), allFields));
  const known = ConfirmImportRequest.shape.applyChannel.unwrap().element.options;
  const { channel, warnings } = done(await get(id));
  assert.deepEqual(Object.keys(channel).sort(), [...known].sort());
  assert.ok(warnings.some(({ code }: { code: string }) => code === "CHANNEL_BLOCKED"), JSON.stringify(warnings));
  const read = () => sql`select is_blocked, directory_blocks from public.podcasts where id = ${show.id}`;
  assert.deepEqual([...await read()], [{ is_blocked: false, directory_blocks: [] }], "the preview changes nothing");
  done(await confirm(id, known));
  assert.deepEqual([...await read()], [{ is_blocked: true, directory_blocks: [{ id: "spotify", is_blocked: true }] }]);
});

Deno.test("confirm returns 400 for a field that the channel lacks, for an unknown field and for a wrong shape", async () => {
  const { id } = await started(feed(episodes(1)));
  assertError(await confirm(id, ["title", "link"]), 400, { code: "INVALID_SELECTION" });
  for (const fields of [["nonsense"], "title", [1], null]) assertError(await confirm(id, fields), 400);
  assert.equal(done(await get(id)).status, "preview");
});

Deno.test("a locked feed shows no address of its owner, in any response or table that clients read", async () => {
  const email = newAddress();
  const [item] = episodes(1);
  item.title += ` (${email})`;
  item.more = `<podcast:person href="https://a.example/${email.replace("@", "%40")}">${email}</podcast:person>
    <podcast:txt>${email}</podcast:txt><author>${email}</author>`;
  const { id } = await started(feed([item], `${locked(email)}${channel(email)}`));
  const { client } = await person("admin");
  const { data } = await client.from("podcast_imports")
    .select("*, podcast_import_channels(*), podcast_import_items(*, podcast_import_item_texts(*))").eq("id", id)
    .single();
  assert.equal(data.podcast_import_channels.fields.owner.email, "o***@f***.test");
  const report = await sendRequest({ method: "GET", path: `${BASE}/${id}/report`, as: "admin" });
  for (const seen of [JSON.stringify(data), (await get(id)).text, report.text]) {
    assert.ok(!seen.includes(email) && !seen.includes(email.replace("@", "%40")), seen);
  }
});

Deno.test("GET …/report returns the lists of the channel, of all items and of each item, in pages", async () => {
  const { id } = await started(feed(episodes(3)));
  const read = async (query: string) => {
    const { status, text, body } = await sendRequest({
      method: "GET",
      path: `${BASE}/${id}/report${query}`,
      as: "admin",
    });
    assert.equal(status, 200, text);
    assertKeys(body, "success", "data", "pagination");
    assertKeys(body.data, "importId", "status", "channel", "summary", "items");
    return body;
  };
  const first = await read("?limit=2");
  assertKeys(first.data.channel, "modelled", "carried", "copied", "lost");
  assertKeys(first.data.summary, "modelled", "carried", "copied", "repaired", "lost");
  assertKeys(
    first.data.items[0],
    "itemId",
    "guid",
    "title",
    "status",
    "modelled",
    "carried",
    "copied",
    "repaired",
    "lost",
  );
  assert.deepEqual(first.data.channel.modelled, ["title"]);
  assert.equal(first.data.summary.modelled.list.find((one: { path: string }) => one.path === "enclosure").count, 3);
  assert.equal(first.pagination.hasMore, true);
  const second = await read(`?limit=2&cursor=${first.pagination.nextCursor}`);
  assert.deepEqual(second.pagination, { nextCursor: null, hasMore: false });
  assert.deepEqual([second.data.items.length, second.data.summary], [1, null]);
});

Deno.test("the report lists the files that were copied, and those that were not with their address and the reason", async () => {
  const vtt = new TextEncoder().encode("WEBVTT\n\n00:00.000 --> 00:02.000\nNight trains\n");
  const audio = allBytes(mp3(20_000));
  const cover = jpeg({ width: 1400, height: 1400 });
  await using from = await source(({ request, send }) =>
    send(
      request.startsWith("GET /a.mp3")
        ? httpResponse(audio, { type: "audio/mpeg" })
        : request.startsWith("GET /a.vtt")
        ? httpResponse(vtt, { type: "text/vtt" })
        : request.startsWith("GET /cover.jpg")
        ? httpResponse(cover, { type: "image/jpeg" })
        : httpResponse(new Uint8Array(), { status: 404, type: "text/plain" }),
    )
  );
  const [item] = episodes(1, `${from.url}a.mp3`);
  item.more = `<podcast:transcript url="${from.url}a.vtt" type="text/vtt"/>
    <podcast:chapters url="${from.url}gone.json" type="application/json+chapters"/>`;
  const { id, show } = await started(feed([item], `<itunes:image href="${from.url}cover.jpg"/>`));
  done(await post(id, "confirm", { applyDetectedEpisodeNumbers: false, limit: null, applyChannel: ["image"] }));
  await waitFor("the files are copied or lost", async () => {
    const of = sql`message ->> 'podcast_id' = ${show.id}`;
    await sql`update pgmq.q_import_items set vt = clock_timestamp() where ${of} and vt > clock_timestamp() and read_ct = 0`;
    const [{ status }] = await sql`select status from public.podcast_imports where id = ${id}`;
    return status === "completed" && (await sql`select from pgmq.q_import_files where ${of}`).length === 0;
  }, 60);
  const { body: { data } } = await sendRequest({ method: "GET", path: `${BASE}/${id}/report`, as: "admin" });
  assert.deepEqual(data.channel.copied, [{ path: "itunes:image", url: `${from.url}cover.jpg` }]);
  assert.deepEqual(data.items[0].copied, [
    { path: "enclosure", url: `${from.url}a.mp3` },
    { path: "podcast:transcript", url: `${from.url}a.vtt` },
  ]);
  assert.deepEqual(data.items[0].lost, [{
    path: "podcast:chapters",
    reason: "NOT_COPIED",
    excerpt: `${from.url}gone.json (The server responded with status 404)`,
  }]);
  assert.deepEqual(data.summary.copied, {
    count: 2,
    list: [{ path: "enclosure", count: 1 }, { path: "podcast:transcript", count: 1 }],
  });
});

Deno.test("GET …/report returns 400 for an invalid limit, cursor or parameter, and 404 for an unknown import", async () => {
  const { id } = await started(feed(episodes(1)));
  const read = (path: string) => sendRequest({ method: "GET", path: `${BASE}/${path}`, as: "admin" });
  for (const query of ["limit=0", "limit=501", "limit=x", "cursor=x", "page=2"]) {
    assertError(await read(`${id}/report?${query}`), 400);
  }
  assertError(await read(`${crypto.randomUUID()}/report`), 404);
  assertError(await read("x/report"), 400);
});

const request = async () => ({ path: `${BASE}/${(await started(feed(episodes(1)))).id}/report` });
assertAccessMatrix("GET /api/imports/:id/report", request, { anon: 401, stranger: 403, member: 403 });
