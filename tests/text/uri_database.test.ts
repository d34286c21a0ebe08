// Redirects of deletions: each URL that the database accepts can be parsed and sent as a header.
import assert from "node:assert/strict";
import { toRedirect } from "../../functions/text/uri.ts";
import { sql } from "../http/harness.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

/** A URL whose parts are valid or nearly so. */
function drawUrl(seed: number): string {
  const { below, chance, one } = seededRandom(seed);
  const shards = [
    "a",
    "B",
    "z9",
    "0",
    "7",
    "08",
    "255",
    "256",
    "0x1f",
    "-",
    "_",
    ".",
    "..",
    ":",
    "::",
    "%41",
    "é",
    "☃",
    "\u00ad",
  ];
  const labels = [
    "new",
    "Example",
    "my_show",
    "xn--bcher-kva",
    "xn--a",
    "127",
    "0",
    "1",
    "255",
    "256",
    "co",
    "a--b",
    "1a",
  ];
  const text = (max: number) => Array.from({ length: 1 + below(max) }, () => one(shards)).join("");
  const host = () => {
    if (chance(0.2)) {
      return `[${
        Array.from({ length: 1 + below(9) }, () => one(["", "0", "1", "db8", "ffff", "12345", "1.2.3.4"])).join(":")
      }]`;
    }
    if (chance(0.3)) return text(6);
    return Array.from({ length: 1 + below(5) }, () => chance(0.1) ? text(2) : one(labels)).join(".");
  };
  const port = chance(0.7) ? "" : `:${one(["", "0", "1", "80", "00443", "65535", "65536", "99999", "8a"])}`;
  const rest = chance(0.2) ? "" : one(["/", "?", "#"]) +
    Array.from(
      { length: below(12) },
      () => one(["/", "?", "#", "%", "..", "|", "^", "`", "{", "[", "☃", "\u{10ffff}", "\ufffe", "\u200b", "a"]),
    ).join("");
  return one(["http", "https", "HTTPS"]) + "://" + host() + port + rest;
}

Deno.test("every redirect that the database accepts is a URI that headers accept", async () => {
  const urls = Array.from({ length: byScale(2000, 200_000) }, (_, seed) => drawUrl(seed));
  const accepted = await sql<{ url: string }[]>`
    select url from unnest(${urls}::text[]) url where private.is_parsable_http_url(url)`;
  assert.ok(accepted.length > urls.length / 10, `${accepted.length} of ${urls.length} are accepted`);
  let parsed = 0;
  for (const { url } of accepted) {
    const redirect = toRedirect(url);
    if (redirect === null && /[/.]xn--a[.:/?#]|[/.]xn--a$/i.test(url)) continue; // only a parser knows valid punycode
    assert.ok(redirect, url);
    assert.match(redirect, /^[\x21-\x7e]+$/);
    assert.equal(new Headers({ location: redirect }).get("location"), redirect);
    parsed++;
  }
  assert.ok(parsed > 0);
});
