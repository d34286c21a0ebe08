// The email to the owner of a locked feed.
import assert from "node:assert/strict";
import { renderOwnershipCode } from "../../functions/mail/ownership_code.ts";

Deno.test("renderOwnershipCode writes the time as the reader's region does", () => {
  const due = { to: "ann@feeds.test", podcastTitle: "Night Trains", feedUrl: "feeds.test" };
  const timeIn = (language: string, locale: string) =>
    renderOwnershipCode(
      { ...due, language, locale },
      (key, { time } = {}) => key === "ownership_code.note" ? `Until ${time}` : time ?? key,
      "123456",
      new Date("2026-11-29T14:05:00Z"),
    ).text.match(/^Until (.*)$/m)![1].replace("\u202f", " ");
  assert.equal(timeIn("en", "en"), "2:05 PM");
  assert.equal(timeIn("en", "en-001"), "2:05 pm");
  assert.equal(timeIn("en", "en-150"), "14:05");
  assert.equal(timeIn("de", "de-at"), "14:05");
});
