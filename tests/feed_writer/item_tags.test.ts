// Tags of an item: values of each, and when one is left out.
import assert from "node:assert/strict";
import { itemTags } from "../../functions/feed_writer/item_tags.ts";
import { bareEpisode, childrenNamed, episode, podcast } from "./fixture.ts";
import { expectedOfBoth, item, text, valueOfChannel, values } from "./tag_values.ts";

const expectedOfItem: Record<string, unknown[]> = {
  "title": text("Paris–Berlin"),
  "itunes:title": text("Paris to Berlin"),
  "description": text("The description."),
  "itunes:subtitle": text("From one river to another"),
  "itunes:summary": text("Thirteen hours & no Wi-Fi."),
  "content:encoded": text('<p>Read <a href="https://example.com/?a=1&amp;b=2">more</a></p>'),
  "link": text("https://nighttrains.example/paris-berlin?a=1&b=2"),
  "guid": [{ isPermaLink: "false", text: "urn:episode:1" }],
  "pubDate": text("Fri, 20 Nov 2026 09:00:00 +0000"),
  "enclosure": [{ url: "https://media.example/audio.mp3?x=1&y=2", length: "5242880", type: "audio/mpeg" }],
  "category": expectedOfBoth["category"],
  "itunes:duration": text("1834"),
  "itunes:explicit": text("true"),
  "itunes:block": text("Yes"),
  "itunes:image": [{ href: "https://media.example/episode.jpg" }],
  "itunes:season": text("2"),
  "itunes:episode": text("7"),
  "itunes:episodeType": text("bonus"),
  "itunes:keywords": expectedOfBoth["itunes:keywords"],
  "podcast:season": [{ name: "Egyptology: The 19th Century", text: "2" }],
  "podcast:episode": [{ display: "Ch.3", text: "7" }],
  "podcast:transcript": [{ url: "https://media.example/1.vtt", type: "text/vtt", language: "en", rel: "captions" }],
  "podcast:chapters": [{ url: "https://media.example/chapters.json", type: "application/json+chapters" }],
  "podcast:soundbite": [
    { startTime: "73", duration: "60" },
    { startTime: "1234.5", duration: "42.25", text: "Why the Podcast Namespace Matters" },
  ],
  "podcast:alternateEnclosure": [
    {
      "type": "video/mp4",
      "length": "7924786",
      "bitrate": "511276.52",
      "height": "720",
      "lang": "en-US",
      "title": "Standard",
      "rel": "video",
      "codecs": "avc1.42E01E, mp4a.40.2",
      "default": "false",
      "podcast:source": [
        { uri: "https://example.com/file-720.mp4" },
        { uri: "ipfs://QmX33FYehk6ckGQ6g1D9D3FqZPix5JpKstKQKbaS8quUFb" },
        { uri: "https://example.com/file-720.torrent", contentType: "application/x-bittorrent" },
      ],
      "podcast:integrity": { type: "sri", value: "sha384-ExVqijgYHm15PqQqdXfW95x+Rs6C+d6E/ICxyQOeFevnxNLR" },
    },
    {
      "type": "application/x-mpegURL",
      "length": "0",
      "podcast:source": { uri: "https://example.com/master.m3u8" },
    },
  ],
  "podcast:contentLink": [{
    href: "https://www.youtube.com/watch?v=example",
    text: "Watch this episode on YouTube!",
  }],
  "podcast:license": expectedOfBoth["podcast:license"],
  "podcast:location": expectedOfBoth["podcast:location"],
  "podcast:image": expectedOfBoth["podcast:image"],
  "podcast:person": [
    {
      group: "Cast",
      role: "Host",
      img: "https://media.example/ana.jpg?s=1&t=2",
      href: "https://ana.example/",
      text: "Ana Kowalska",
    },
    { group: "Cast", role: "Co-Host", text: "Bo & Cy" },
    { group: "Cast", role: "Guest", text: "Di" },
    { group: "Creative Direction", role: "Producer", text: "Ed" },
    { group: "Audio Post-Production", role: "Composer", text: "Flo" },
    { group: "Audio Post-Production", role: "Audio Editor", text: "Gus" },
  ],
  "podcast:funding": expectedOfBoth["podcast:funding"],
  "podcast:socialInteract": expectedOfBoth["podcast:socialInteract"],
  "podcast:value": [{
    ...valueOfChannel,
    "podcast:valueTimeSplit": [
      {
        "startTime": "330",
        "duration": "53.5",
        "remoteStartTime": "174",
        "remotePercentage": "95",
        "podcast:remoteItem": {
          feedGuid: "a94f5cc9-8c58-55fc-91fe-a324087a655b",
          itemGuid: "https://podcastindex.org/podcast/4148683#3",
          medium: "music",
        },
      },
      {
        "startTime": "63",
        "duration": "388",
        "podcast:valueRecipient": { name: "Jimbob (Guest)", type: "node", address: "02dd306e68c46681", split: "10" },
      },
    ],
  }],
  "podcast:txt": [
    { purpose: "release", text: "2022-10-26T04:45:30.742Z" },
    { purpose: "ai-content", text: "true" },
  ],
};

Deno.test("the tests cover exactly the registered tags of an item", () => {
  assert.deepEqual(Object.keys(expectedOfItem), itemTags.map(({ name }) => name));
});

for (const [name, expected] of Object.entries(expectedOfItem)) {
  Deno.test(`an item has ${name}`, () => assert.deepEqual(values(item(), name), expected));
}

Deno.test("an episode with only audio has the required tags and no empty one", () => {
  const bare = item({
    itunes_title: null,
    is_blocked: false,
    subtitle: null,
    summary: null,
    description: "",
    link: null,
    show_notes_safe_html: null,
    season_number: null,
    episode_number: null,
    audio_duration_seconds: null,
    cover_image_url: null,
    transcripts: [],
    chapters_url: null,
    credits: [],
    ...bareEpisode,
  }, podcast({ cover_image_url: null }));
  assert.deepEqual(bare.children.map(({ name }) => name), [
    ...["title", "itunes:title", "link", "guid", "pubDate", "enclosure", "itunes:explicit", "itunes:episodeType"],
  ]);
});

Deno.test("an episode without itunes_title uses its title as itunes:title", () => {
  const one = item({ itunes_title: null });
  assert.deepEqual(values(one, "itunes:title"), text("Paris–Berlin"));
});

Deno.test("a person without a visible name is left out", () => {
  const [host, cohost] = episode().credits;
  const credits = [{ ...host, name: " \u200b\u0007" }, cohost];
  const one = item({ credits });
  assert.deepEqual(values(one, "podcast:person"), [{ group: "Cast", role: "Co-Host", text: "Bo & Cy" }]);
});

Deno.test("a person's name is truncated to 128 characters", () => {
  const rendered = (name: string) => {
    const credits = [{ ...episode().credits[1], name }];
    return childrenNamed(item({ credits }), "podcast:person")[0]
      .text;
  };
  assert.equal(rendered("😀".repeat(128)), "😀".repeat(128));
  assert.equal(rendered("😀".repeat(129)), `${"😀".repeat(127)}…`);
  assert.equal(rendered(`${" ".repeat(190)}Ana`), "Ana");
});

Deno.test("an episode without artwork uses the podcast's", () => {
  const one = item({ cover_image_url: null });
  assert.deepEqual(values(one, "itunes:image"), [{ href: "https://media.example/cover.jpg" }]);
});

Deno.test("itunes:summary is the episode's summary as plain text, even if it is the description", () => {
  const rendered = (changes: Parameters<typeof episode>[0]) => values(item(changes), "itunes:summary");
  assert.deepEqual(rendered({ summary: "<p>In <b>short</b></p>" }), text("In short"));
  assert.deepEqual(rendered({ summary: "The description." }), text("The description."));
  assert.deepEqual(rendered({ summary: null }), []);
  assert.deepEqual(rendered({ summary: "In short", description: " " }), text("In short"));
});

Deno.test("itunes:subtitle is one line of plain text of at most 255 characters", () => {
  const rendered = (subtitle: string | null) => values(item({ subtitle }), "itunes:subtitle");
  assert.deepEqual(rendered("<p>In</p><p>short</p>"), text("In short"));
  assert.deepEqual(rendered(null), []);
  assert.deepEqual(rendered("😀".repeat(255)), text("😀".repeat(255)));
  assert.deepEqual(rendered("😀".repeat(256)), text(`${"😀".repeat(254)}…`));
});

Deno.test("an item links to the page of the service if its episode has no link", () => {
  const rendered = (changes: Parameters<typeof episode>[0]) => values(item(changes), "link");
  assert.deepEqual(rendered({ link: null }), text("https://api.example/listen/night-trains/paris-berlin"));
  assert.deepEqual(rendered({ link: "https://ü.example/a b" }), text("https://xn--tda.example/a%20b"));
  assert.deepEqual(rendered({ link: null, listen_url: null }), []);
});

Deno.test("podcast:episode is the decimal number of an episode without an integer one", () => {
  const rendered = (changes: Parameters<typeof episode>[0]) => values(item(changes), "podcast:episode");
  assert.deepEqual(rendered({ episode_number: null, episode_display: "315.5" }), [{ text: "315.5" }]);
  assert.deepEqual(rendered({ episode_number: 7, episode_display: "315.5" }), [{ display: "315.5", text: "7" }]);
  assert.deepEqual(rendered({ episode_number: null, episode_display: "Ch. 3" }), []);
});

Deno.test("the description is the description, else the summary, else the notes as text, else the subtitle", () => {
  const rendered = (changes: Parameters<typeof episode>[0]) =>
    childrenNamed(item(changes), "description").map(({ text }) => text);
  assert.deepEqual(rendered({}), ["The description."]);
  assert.deepEqual(rendered({ description: "\u200b \u0007" }), ["Thirteen hours & no Wi-Fi."]);
  assert.deepEqual(rendered({ summary: "", description: "", show_notes_safe_html: "<p>Notes &amp; <b>more</b></p>" }), [
    "Notes & more",
  ]);
  assert.deepEqual(rendered({ summary: "", description: "", show_notes_safe_html: "<p>&nbsp;</p><img src='x'>" }), [
    "From one river to another",
  ]);
  const [long] = rendered({ summary: "", description: "", show_notes_safe_html: `<p>${"Wort ".repeat(100_000)}</p>` });
  assert.ok(long.length > 3990 && long.length <= 4000 && long.endsWith("…"), long.slice(-20));
});

Deno.test("an episode number 0 is in the podcast namespace only, because Apple counts from 1", () => {
  const one = item({ season_number: 0, episode_number: 0 });
  assert.deepEqual([values(one, "itunes:season"), values(one, "itunes:episode")], [[], []]);
  assert.deepEqual([values(one, "podcast:season"), values(one, "podcast:episode")], [
    [{ name: "Egyptology: The 19th Century", text: "0" }],
    [{ display: "Ch.3", text: "0" }],
  ]);
});

Deno.test("a season name and an episode display without a number leave their tags out", () => {
  const one = item({ season_number: null, episode_number: null });
  assert.deepEqual([values(one, "podcast:season"), values(one, "podcast:episode")], [[], []]);
});
