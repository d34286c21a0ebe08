// Headers of threads and podcasts.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { addressOf, domainOf, feedbackIdOf, topicHeaders } from "../../functions/mail/topic_headers.ts";

const topic = { type: "podcast.paused", podcast: null, threadId: null };
const listId = (title: string) => topicHeaders({ ...topic, podcast: { id: "p", title } }, "mail.test")["List-Id"];

/** The text of encoded words. */
const decode = (phrase: string) =>
  phrase.split(" ").map((word) => Buffer.from(/^=\?UTF-8\?B\?(\S+)\?=$/.exec(word)![1], "base64").toString()).join("");

Deno.test("topicHeaders gives an email without podcast and thread no headers", () => {
  assert.deepEqual(topicHeaders(topic, "mail.test"), {});
});

Deno.test("topicHeaders writes a title of plain words as it is, and others as encoded words of whole characters", () => {
  assert.equal(listId("Night Trains 2"), "Night Trains 2 <p.podcasts.mail.test>");
  assert.equal(listId(""), "<p.podcasts.mail.test>");
  for (const title of ["Trains, <i>", "a@b.c", "=?x", "Züge", "夜".repeat(60), "🚂".repeat(60)]) {
    const [, phrase] = /^(.*) <p\.podcasts\.mail\.test>$/.exec(listId(title))!;
    assert.equal(decode(phrase), title === "=?x" ? "= ?x" : title);
    assert.ok(phrase.split(" ").every((word) => word.length <= 75));
  }
  assert.ok(decode(listId("ä".repeat(500)).split(" <")[0]).length === 60);
});

Deno.test("feedbackIdOf returns four fields, of which the last is the sender", () => {
  assert.equal(feedbackIdOf(topic), "podcast.paused:::castbase");
  assert.equal(feedbackIdOf({ ...topic, podcast: { id: "p", title: "T" } }), "podcast.paused:p::castbase");
});

Deno.test("addressOf and domainOf read an address with or without a name", () => {
  for (const sender of ["a@mail.test", "Casts <a@mail.test>", '"a@b" <a@mail.test> ']) {
    assert.deepEqual([addressOf(sender), domainOf(sender)], ["a@mail.test", "mail.test"]);
  }
});
