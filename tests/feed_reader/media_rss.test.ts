// Media RSS: what is said about the episode's file is about the episode.
import assert from "node:assert/strict";
import { COMPLETE_ITEM, readItem } from "./reading.ts";

const MEDIA = 'xmlns:media="http://search.yahoo.com/mrss/"';
const OWN = 'url="https://a.example/1.mp3" type="audio/mpeg"';
const CREDIT = '<media:credit role="author" scheme="urn:ebu">Ana</media:credit>';
const carried = (xml: string) => xml.replace(/^<(media:\w+)/, `<$1 ${MEDIA}`);

/** Content of an item besides its enclosure, the carried elements, and the losses. */
const items: Record<string, [inside: string, extraTags: string[], losses: string[]]> = {
  "in media:content of the enclosure's file": [
    `<media:content ${OWN}>${CREDIT}<media:hash algo="md5">dfdec888b72151965a34b4b59031290a</media:hash></media:content>`,
    [CREDIT, '<media:hash algo="md5">dfdec888b72151965a34b4b59031290a</media:hash>'],
    [],
  ],
  "in media:group with the enclosure's file": [
    `<media:group>${CREDIT}<media:content ${OWN}><media:rating>nonadult</media:rating></media:content></media:group>`,
    [CREDIT, "<media:rating>nonadult</media:rating>"],
    [],
  ],
  "in media:group without files": [`<media:group>${CREDIT}</media:group>`, [CREDIT], []],
  "in media:content of another file, such as the author's picture": [
    '<media:content url="https://a.example/ana.jpg" medium="image"><media:title>ana</media:title></media:content>',
    [],
    ["media:content/@medium NO_PLACE", "media:content ENCLOSURE", "media:content/media:title ENCLOSURE"],
  ],
  "twice": [`<media:group>${CREDIT}<media:content ${OWN}>${CREDIT}</media:content></media:group>`, [CREDIT], [
    "media:group/media:content/media:credit REPEATED",
  ]],
  "that Media RSS does not define": [`<media:content ${OWN}><order>1</order></media:content>`, [], [
    "media:content/order UNKNOWN_ELEMENT",
  ]],
  "with the language of XML": [`<media:content ${OWN} xml:lang="de"/>`, [], ["media:content/@xml:lang NO_PLACE"]],
  "as attributes of the file": [
    `<media:content ${OWN} fileSize="5" medium="audio" bitrate="128" lang="de" isDefault="true" expression="full" foo="1"/>`,
    [],
    [
      "media:content/@medium NO_PLACE",
      "media:content/@bitrate NO_PLACE",
      "media:content/@lang NO_PLACE",
      "media:content/@isDefault NO_PLACE",
      "media:content/@expression NO_PLACE",
      "media:content/@foo UNKNOWN_ATTRIBUTE",
    ],
  ],
};

for (const [what, [inside, extraTags, losses]] of Object.entries(items)) {
  Deno.test(`parseFeed accounts for what Media RSS says ${what}`, async () => {
    const found = await readItem(COMPLETE_ITEM + inside, { attributes: MEDIA });
    assert.deepEqual(found.extraTags, extraTags.map(carried));
    assert.deepEqual(found.losses.map(({ path, reason }) => `${path} ${reason}`).sort(), losses.sort());
  });
}

const thumbnail = (name: string, more = "") => `<media:thumbnail url="https://a.example/${name}.jpg"${more}/>`;

/** Content of an item, and its image. */
const images: Record<string, [inside: string, image: string | null]> = {
  "a thumbnail of the item": [thumbnail("a"), "https://a.example/a.jpg"],
  "a thumbnail of its file": [`<media:content ${OWN}>${thumbnail("a")}</media:content>`, "https://a.example/a.jpg"],
  "no thumbnail of another file": [
    `<media:content url="https://a.example/2.mp3">${thumbnail("a")}</media:content>`,
    null,
  ],
  "no small thumbnail": [
    thumbnail("a", ' width="120" height="90"') + thumbnail("b", ' width="1400"'),
    "https://a.example/b.jpg",
  ],
  "itunes:image before a thumbnail": [
    `${thumbnail("a")}<itunes:image href="https://a.example/c.jpg"/>`,
    "https://a.example/c.jpg",
  ],
};

for (const [what, [inside, image]] of Object.entries(images)) {
  Deno.test(`parseFeed reads as the image of an item ${what}, and carries the thumbnails of the item`, async () => {
    const attributes = `${MEDIA} xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"`;
    const found = await readItem(COMPLETE_ITEM + inside, { attributes });
    assert.equal(found.image, image);
    assert.equal(found.extraTags.length + found.losses.length > 0, true);
  });
}

Deno.test("parseFeed reads the duration of the file in Media RSS unless the item has one", async () => {
  const file = (duration: string) => `<media:content ${OWN} duration="${duration}"/>`;
  const read = async (inside: string) => {
    const { durationSeconds, losses } = await readItem(COMPLETE_ITEM + inside);
    return [durationSeconds, ...losses.map(({ path, reason }) => `${path} ${reason}`)];
  };
  assert.deepEqual(await read(file("61")), [61]);
  assert.deepEqual(await read(`<itunes:duration>1:01</itunes:duration>${file("61")}`), [61]);
  assert.deepEqual(await read(`<itunes:duration>62</itunes:duration>${file("61")}`), [
    62,
    "media:content/@duration REPEATED",
  ]);
  assert.deepEqual(await read(file("?")), [null, "media:content/@duration INVALID"]);
});
