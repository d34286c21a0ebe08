// Dates of HTTP headers, in the three forms of RFC 9110, 5.6.7.
import assert from "node:assert/strict";
import { parseHttpDate } from "../../functions/app/http_date.ts";

const TIME = Date.UTC(1994, 10, 6, 8, 49, 37), NOW = Date.UTC(2026, 0, 1);

Deno.test("parseHttpDate reads the preferred and both obsolete forms", () => {
  for (
    const text of ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
  ) assert.equal(parseHttpDate(text, NOW), TIME, text);
});

Deno.test("parseHttpDate takes a year of two digits as past if it would be more than 50 years ahead", () => {
  const yearOf = (text: string) => new Date(parseHttpDate(text, NOW)).getUTCFullYear();
  assert.equal(yearOf("Wednesday, 01-Jan-76 00:00:00 GMT"), 2076);
  assert.equal(yearOf("Saturday, 01-Jan-77 00:00:00 GMT"), 1977);
});

Deno.test("parseHttpDate returns NaN for other forms and for dates that do not exist", () => {
  for (
    const text of [
      undefined,
      "",
      "2099",
      "1994-11-06T08:49:37Z",
      "Sun, 6 Nov 1994 08:49:37 GMT",
      "Mon, 06 Nov 1994 08:49:37 GMT",
      "Thu, 31 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 +0000",
      "Sunday, 06-Nov-1994 08:49:37 GMT",
      "Sun Nov 6 08:49:37 1994",
      "sun nov  6 08:49:37 1994",
    ]
  ) assert.ok(Number.isNaN(parseHttpDate(text, NOW)), text);
});
