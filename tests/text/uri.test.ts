// URLs that users typed, as URIs.
import assert from "node:assert/strict";
import { toRedirect, toUri } from "../../functions/text/uri.ts";

Deno.test("toUri keeps a valid URI", () => {
  const address = "https://media.example:8443/a%20b/%E5%A4%9C.mp3?x=1&y=%25&z=(2)*'!#t=1,2";
  assert.equal(toUri(address), address.replace("'", "%27"));
});

Deno.test("toUri encodes brackets but those of an IPv6 address", () => {
  assert.equal(toUri("http://[::1]:80/a[1]?b[]=c"), "http://[::1]/a%5B1%5D?b%5B%5D=c");
});

Deno.test("a redirect that no parser accepts counts as none", () => {
  for (
    const url of [
      "https://host.example:99999/☃",
      "https://[::1/☃",
      "https://xn--/☃",
      "http://256.256.256.256/☃",
      "",
      null,
    ]
  ) assert.equal(toRedirect(url), null, String(url));
});
