import assert from "node:assert/strict";
import { isPresent } from "../../functions/text/xml_text.ts";
import { sql } from "../http/harness.ts";

Deno.test("the feed writer and the database agree on blank text", async () => {
  const blank = await sql<{ code: number }[]>`
    select code from generate_series(1, 65535) code where code not between 55296 and 57343 and private.is_blank(chr(code))`;
  const ours = Array.from({ length: 65535 }, (_, n) => n + 1)
    .filter((code) => (code < 0xd800 || code > 0xdfff) && !isPresent(String.fromCharCode(code)));
  assert.deepEqual(ours, blank.map(({ code }) => code));
});
