// Extra tags of imported feeds: well-formed ones are written as they are, others are left out.
import assert from "node:assert/strict";
import { wellFormedTags } from "../../functions/feed_writer/extra_tags.ts";
import { renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { episode, podcast } from "./fixture.ts";

Deno.test("extra tags are the last ones of the channel's head and of an item, as they are", () => {
  const xml = renderHead(podcast()) + renderItem(episode(), podcast()) + TAIL;
  const [tag] = podcast().extra_tags;
  assert.deepEqual(xml.split(`\n${tag}\n`).map((part) => part.slice(0, 10)), [
    "<?xml vers",
    "<item>\n<ti",
    "</item>\n</",
  ]);
});

Deno.test("wellFormedTags keeps tags that are one well-formed element each", async () => {
  const kept = [
    "<a/>",
    '<a b="c">d &amp; <b>e</b></a>',
    "<itunes:x>夜</itunes:x>",
    '<x:a xmlns:x="urn:x" x:b="c"/>',
    ' <a xmlns="urn:x"><b/></a>\n',
  ];
  assert.deepEqual(await wellFormedTags(kept), kept);
  for (
    const broken of [
      ...["", "text", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>text", "<a b=c/>", "<a>&bogus;</a>", "<media:a/>"],
      ...["</x><x>", "</x><a/><x>", "<a/></x></channel>", "<a>\u0000</a>", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
      ...["<a b='1' b='2'/>", "<a", "<a/><!--", "<?php", "<![CDATA[a]]>", "<a>]]></a>"],
    ]
  ) {
    assert.deepEqual(await wellFormedTags(["<a/>", broken, "<b/>"]), ["<a/>", "<b/>"], broken);
  }
});
