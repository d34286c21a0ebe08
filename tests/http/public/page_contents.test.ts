// Chapters and transcripts on an episode's page: readable without scripts, bounded, in the podcast's language first.
import assert from "node:assert/strict";
import { put } from "../api/audio.ts";
import { uploaded } from "../api/transcripts.ts";
import { decodeEntities } from "../../../functions/text/plain_text.ts";
import { callRpc, type Episode, episode, person, podcast, sendRequest, sql, stackInfo, waitFor } from "../harness.ts";

const owner = await person("owner"), show = await podcast("Aloud");
await sql`update public.podcasts set language = 'de-AT' where id = ${show.id}`;

async function published(title: string): Promise<Episode> {
  const made = await episode(show, title);
  await put(show, made);
  await callRpc(owner, "publish_episode", { episode_id: made.id });
  return made;
}

const open = async ({ slug }: Episode) => {
  const { status, text } = await sendRequest({ method: "GET", path: `/public/listen/${show.slug}/${slug}` });
  assert.equal(status, 200, text);
  return text;
};

const toVtt = (lines: [speaker: string, text: string][]) => {
  const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23);
  return "WEBVTT\n\n" +
    lines.map(([speaker, text], n) => `${time(n)} --> ${time(n + 1)}\n<v ${speaker}>${text}\n`).join("\n");
};

/** Paragraphs of the transcript on a page: start, speaker and text. */
const linesOf = (text: string) =>
  [...text.matchAll(
    /<div class="line" data-start="([\d.]+)">[^]*?<p dir="auto">(?:<b dir="auto">(.*?)<\/b> )?(.*?)<\/p>/g,
  )]
    .map(([, ...line]) => line);

Deno.test("an episode's page lists its chapters with times that open the audio there, without silent ones", async () => {
  const made = await published("Chapters"), url = "https://x.example/?a=1&b=2";
  const chapters = [
    { startTime: 0, title: "One <b>" },
    { startTime: 61.5, title: "Two", url },
    { startTime: 70, toc: false },
    { startTime: 3725, title: "Three" },
  ];
  await uploaded(show, made, {
    type: "application/json+chapters",
    body: JSON.stringify({ version: "1.2.0", chapters }),
  });
  const text = await open(made), [list] = /<ol class="chapters"[^]*?<\/ol>/.exec(text)!;
  const found = [
    ...list.matchAll(
      /href="([^"]*#t=[^"]*)" data-seek="([^"]*)" dir="ltr">([^<]*)<\/a><span class="title" dir="auto">([^<]*)</g,
    ),
  ];
  const [, audioUrl] = /<source src="([^"]+)"/.exec(text)!;
  assert.deepEqual(found.map(([, ...chapter]) => chapter), [
    [`${audioUrl}#t=0`, "0", "0:00", "One &lt;b&gt;"],
    [`${audioUrl}#t=61.5`, "61.5", "1:01", "Two"],
    [`${audioUrl}#t=3725`, "3725", "1:02:05", "Three"],
  ]);
  assert.ok(
    list.includes(
      `<a class="away" href="https://x.example/?a=1&amp;b=2" rel="noopener nofollow ugc" aria-label="Link zum Kapitel: Two"`,
    ),
    list,
  );
  assert.match(text, /<details class="section" open>\s*<summary><h2 lang="de">Kapitel <span class="count">3</);
});

Deno.test("chapters with pictures of our own show them, and load none of another host", async () => {
  const made = await published("Illustrated"), own = `${stackInfo.url}/storage/v1/object/public/media/a.png`;
  await sql`
    insert into public.episode_chapters (episode_id, start_seconds, title, image_url)
    values (${made.id}, 0, 'One', ${own}), (${made.id}, 5, 'Two', 'https://images.example/2.png')`;
  const text = await open(made);
  assert.match(text, /<ol class="chapters illustrated"/);
  assert.deepEqual(
    [...text.matchAll(/<img class="chapter-image" src="([^"]*)"[^>]* loading="lazy"/g)].map(([, src]) => src),
    [
      own,
    ],
  );
  assert.doesNotMatch(text, /images\.example/);
});

Deno.test("an episode's page offers its audio as a file with the names of show and episode, and foreign audio as it is", async () => {
  const made = await published('Trains: "Night"/Day?'),
    link = async () =>
      /<a href="([^"]*)"( [^>]*)?>Herunterladen <span class="count"><bdi>([^<]*)</.exec(await open(made))!;
  const [, href, attributes, size] = await link(), name = "Aloud - Trains Night Day.mp3";
  assert.equal(attributes, ` download="${name}"`);
  assert.match(size, /^[\d,]+\sMB$/);
  const { status, headers, body } = await fetch(decodeEntities(href));
  await body?.cancel();
  assert.deepEqual([status, headers.get("content-disposition")], [
    200,
    `attachment; filename=${encodeURIComponent(name)}; filename*=UTF-8''${encodeURIComponent(name)}`,
  ]);
  await sql`update public.episodes set audio_url = 'https://audio.example/1.mp3?a=1' where id = ${made.id}`;
  assert.deepEqual((await link()).slice(1, 3), ["https://audio.example/1.mp3?a=1", ' rel="noopener"']);
});

Deno.test("times in show notes open the audio there, within its duration", async () => {
  const made = await published("Times");
  await sql`
    update public.episodes set show_notes_html = '<p>00:00 Anfang<br>(1:02) Mitte, 12:30 Uhr<br>9:00:00 nie</p>',
      audio_duration_seconds = 63 where id = ${made.id}`;
  const text = await waitFor("the notes are sanitized", async () => {
    const text = await open(made);
    return text.includes("Anfang") ? text : "";
  });
  const [, audioUrl] = /<source src="([^"]+)"/.exec(text)!;
  const link = (seconds: number, time: string) =>
    `<a class="time" href="${audioUrl}#t=${seconds}" data-seek="${seconds}" dir="ltr">${time}</a>`;
  const expected = `<p>${link(0, "00:00")} Anfang<br>(${link(62, "1:02")}) Mitte, 12:30 Uhr<br>9:00:00 nie</p>`;
  assert.ok(text.replaceAll("<br />", "<br>").includes(expected), text);
});

Deno.test("chapters that another host has are not listed", async () => {
  const made = await published("Chapters elsewhere");
  await sql`update public.episodes set chapters_url = 'https://chapters.example/1.json' where id = ${made.id}`;
  assert.doesNotMatch(await open(made), /class="chapters"/);
});

Deno.test("an episode's page has its transcript in paragraphs by speaker, and prefers the podcast's language", async () => {
  const made = await published("Transcript");
  await uploaded(show, made, { body: toVtt([["Ana", "English"]]), query: { language: "en" } });
  const lines: [string, string][] = [["Ana", "Guten Tag."], ["Ana", "Wie geht's?"], ["Ben", "Danke & gut."]];
  await uploaded(show, made, { body: toVtt(lines), query: { language: "de" } });
  const text = await open(made);
  assert.match(text, /<details class="section">\s*<summary><h2 lang="de">Transkript<\/h2>/);
  assert.match(text, /<div class="transcript" lang="de">/);
  assert.deepEqual(linesOf(text), [["0", "Ana", "Guten Tag. Wie geht&#39;s?"], ["2", "Ben", "Danke &amp; gut."]]);
});

Deno.test("an episode's page has the beginning of a long transcript and a link to the whole", async () => {
  const made = await published("Long transcript"),
    sentence = "Wir fahren die ganze Nacht durch das Gebirge. ".repeat(8);
  const { publicUrl } = await uploaded(show, made, {
    body: toVtt(Array.from({ length: 1000 }, (_, n) => [`S${n % 2}`, `${n} ${sentence}`])),
    query: { language: "de" },
  });
  const text = await open(made), shown = linesOf(text);
  assert.ok(shown.length > 400 && shown.length < 600, `${shown.length}`);
  assert.ok(text.includes(`<a href="${publicUrl}" rel="noopener">Ganzes Transkript öffnen</a>`));
});

Deno.test("an episode's page shows a plain transcript as paragraphs", async () => {
  const made = await published("Plain transcript");
  await uploaded(show, made, { type: "text/plain", body: "One <b>\nline\n\nTwo" });
  const text = await open(made);
  assert.match(text, /<p class="text" dir="auto">One &lt;b&gt;\nline<\/p>\s*<p class="text" dir="auto">Two<\/p>/);
});

Deno.test("an episode's page shows the speakers of a plain transcript, and no word before a colon that occurs once", async () => {
  const made = await published("Plain transcript with speakers");
  await uploaded(show, made, {
    type: "text/plain",
    body: "Ana Bell: Hi <b>\nBo:\nHey\nyou\n\nNote: rain\n\nAna Bell: Bye\nBo: So long",
  });
  const [, text] = (await open(made)).split('<div class="transcript"');
  assert.deepEqual([...text.matchAll(/<p class="text" dir="auto">([^]*?)<\/p>/g)].map(([, content]) => content), [
    '<b dir="auto">Ana Bell</b> Hi &lt;b&gt;',
    '<b dir="auto">Bo</b> Hey\nyou',
    "Note: rain",
    '<b dir="auto">Ana Bell</b> Bye',
    '<b dir="auto">Bo</b> So long',
  ]);
});

Deno.test("an episode's page links to the text of an HTML transcript that is too long for it", async () => {
  const made = await published("Long HTML transcript"), body = "<p>Nachtzug &amp; Gebirge</p>".repeat(10_000);
  const { transcriptId } = await uploaded(show, made, { type: "text/html", body });
  const text = await open(made);
  const [, url] = /<a href="([^"]+)" rel="noopener">Transkript öffnen<\/a>/.exec(text)!;
  assert.equal(new URL(url).pathname.split("/").pop(), `${transcriptId}.txt`);
  const response = await fetch(url);
  assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.match(await response.text(), /^Nachtzug & Gebirge\n/);
  assert.doesNotMatch(text, /class="transcript"/);
});

Deno.test("an episode's page links to a transcript that another host has, and shows no text of it", async () => {
  const made = await published("Transcript elsewhere");
  await sql`
    insert into public.episode_transcripts (episode_id, type, url)
    values (${made.id}, 'text/vtt', 'https://transcripts.example/1.vtt')`;
  const text = await open(made);
  assert.match(text, /<a href="https:\/\/transcripts.example\/1.vtt" rel="noopener">Transkript öffnen<\/a>/);
  assert.doesNotMatch(text, /class="transcript"/);
});

Deno.test("an episode without chapters and transcripts has no sections for them", async () => {
  assert.doesNotMatch(await open(await published("Bare")), /<details/);
});
