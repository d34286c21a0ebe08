// All tags: their specifications and namespaces, and texts and URLs that people type.
import assert from "node:assert/strict";
import { channelTags } from "../../functions/feed_writer/channel_tags.ts";
import { itemTags } from "../../functions/feed_writer/item_tags.ts";
import { renderHead, TAIL } from "../../functions/feed_writer/render.ts";
import { NAMESPACES } from "../../functions/feed_writer/tag.ts";
import { childrenNamed, episode, type Node, parseXml, podcast } from "./fixture.ts";
import { channel, text, values } from "./tag_values.ts";

Deno.test("every tag has a declared namespace and a link to its specification", () => {
  for (const { name, spec } of [...channelTags, ...itemTags]) {
    const prefix = name.includes(":") ? name.split(":")[0] : undefined;
    assert.ok(!prefix || prefix in NAMESPACES, name);
    assert.match(spec, /^https:\/\/\S+[#/]\S+$/, name);
  }
});

Deno.test("no tag is registered twice", () => {
  for (const registry of [channelTags, itemTags] as { name: string }[][]) {
    assert.equal(new Set(registry.map(({ name }) => name)).size, registry.length);
  }
});

Deno.test("invisible text omits its tag or uses the fallback", () => {
  const blank = " \u0000\u0007\u00ad\u061c\u200b\u2066\u200f\ufeff\u00a0\ud800\n";
  const show = channel(
    podcast({
      description: blank,
      author: blank,
      owner_name: blank,
      shown_owner_email: null,
      copyright: blank,
      link: blank,
      verify_texts: [{ text: blank }, { text: "S6lpp", purpose: blank }],
      ai_disclosure: blank,
      apple_verify_token: blank,
    }),
    [episode({ show_notes_safe_html: blank, cover_image_url: blank })],
  );
  for (const tag of ["itunes:author", "itunes:owner", "copyright", "itunes:applepodcastsverify"]) {
    assert.deepEqual(values(show, tag), [], tag);
  }
  assert.deepEqual(values(show, "description"), text("Night Trains"));
  assert.deepEqual(values(show, "link"), text("https://api.example/listen/night-trains"));
  assert.deepEqual(values(show, "podcast:txt"), text("S6lpp"));
  const [one] = childrenNamed(show, "item");
  assert.deepEqual(values(one, "content:encoded"), []);
  assert.deepEqual(values(one, "itunes:image"), [{ href: "https://media.example/cover.jpg" }]);
});

Deno.test("URLs typed by users are encoded as URIs", () => {
  const typed = "https://münchen.example/bücher/夜 行%20x|y%z.jpg?q=é{1}#ü";
  const uri = "https://xn--mnchen-3ya.example/b%C3%BCcher/%E5%A4%9C%20%E8%A1%8C%20x%7Cy%25z.jpg?q=%C3%A9%7B1%7D#%C3%BC";
  const read = channel(
    podcast({
      link: typed,
      cover_image_url: typed,
      funding: [{ url: typed, text: "Give" }],
      license_url: typed,
      images: [{ href: typed }],
      social_interactions: [{ protocol: "activitypub", uri: typed, account_url: typed }],
      podroll: [{ feed_guid: "x", feed_url: typed }],
      trailers: [{ ...podcast().trailers[0], audio_url: typed }],
    }),
    [
      episode({
        audio_url: typed,
        cover_image_url: typed,
        transcripts: [{ url: typed, type: "x/y" }],
        chapters_url: typed,
        credits: [{ ...episode().credits[0], avatar_url: typed, external_url: typed }],
        content_links: [{ href: typed, text: "Watch" }],
        alternate_enclosures: [{ type: "x/y", sources: [{ uri: typed }] }],
      }),
      episode({ cover_image_url: null }),
    ],
  );
  assert.deepEqual(values(read, "link"), text(uri));
  const addresses = (parent: Node, name: string) =>
    childrenNamed(parent, name).map(({ attributes }) => attributes.url ?? attributes.href);
  assert.deepEqual(addresses(read, "itunes:image"), [uri]);
  for (const name of ["podcast:funding", "podcast:license", "podcast:image", "podcast:trailer"]) {
    assert.deepEqual(addresses(read, name), [uri], name);
  }
  assert.deepEqual(values(read, "image").map(({ url, link }) => [url, link]), [[uri, uri]]);
  assert.deepEqual(values(read, "podcast:podroll"), [{ "podcast:remoteItem": { feedGuid: "x", feedUrl: uri } }]);
  assert.deepEqual(values(read, "podcast:socialInteract"), [{ protocol: "activitypub", uri, accountUrl: uri }]);
  const [one, other] = childrenNamed(read, "item");
  assert.deepEqual(values(one, "podcast:alternateEnclosure"), [{ type: "x/y", "podcast:source": { uri } }]);
  for (const name of ["enclosure", "itunes:image", "podcast:transcript", "podcast:chapters", "podcast:contentLink"]) {
    assert.deepEqual(addresses(one, name), [uri], name);
  }
  const [{ attributes: { img, href } }] = childrenNamed(one, "podcast:person");
  assert.deepEqual([img, href], [uri, uri]);
  assert.deepEqual(addresses(other, "itunes:image"), [uri]);
});

Deno.test("a feed declares every namespace of its tags", () => {
  const root = parseXml(renderHead(podcast()) + TAIL);
  assert.equal(root.attributes.version, "2.0");
  for (const [prefix, url] of Object.entries(NAMESPACES)) assert.equal(root.attributes[`xmlns:${prefix}`], url);
});
