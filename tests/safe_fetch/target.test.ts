// Checks of a URL before any network access.
import assert from "node:assert/strict";
import { isPublic, parseIp } from "../../functions/safe_fetch/ip_address.ts";
import { parseTarget } from "../../functions/safe_fetch/target.ts";
import { assertFails, fetchAs } from "./assertions.ts";

/** Asserts that safeFetch fails before it resolves or connects. */
const fetchUnconnected = (url: string) =>
  fetchAs(url, {
    network: {
      resolve: () => Promise.reject(new Error("asked the resolver")),
      connect: () => Promise.reject(new Error("connected")),
    },
  });

const LOOPBACKS = [
  "http://127.0.0.1/",
  "http://0x7f.1/",
  "http://0x7F000001/",
  "http://2130706433/",
  "http://0177.0.0.1/",
  "http://0000177.0.0.1/",
  "http://017700000001/",
  "http://127.1/",
  "http://127.0.1/",
  "http://127.0.0.1./",
  "http://１２７.０.０.１/",
  "http://①②⑦.0.0.1/",
  "http://127。0。0。1/",
  "http://%31%32%37.0.0.1/",
  "http:127.0.0.1",
  "http:/\\127.0.0.1",
  "\n http://127.0.0.1/ \t",
  "https://[::ffff:127.0.0.1]/",
];

Deno.test("safeFetch rejects the loopback address in every spelling", async () => {
  for (const url of LOOPBACKS) {
    const address = parseIp(parseTarget(url, []).host);
    assert.ok(address && [0x7f000001n, 0xffff7f000001n].includes(address.bits), `${url} is the loopback address`);
    assert.ok(!isPublic(address));
    await assertFails(fetchUnconnected(url), "BLOCKED_URL", /does not point to the public internet/);
  }
});

Deno.test("safeFetch rejects private addresses, including those of cloud metadata", async () => {
  for (
    const host of [
      ..."169.254.169.254 0xA9FEA9FE 2852039166 0251.0376.0251.0376 0 10.0.0.1 192.168.1.1 100.100.100.200".split(" "),
      ..."[::] [::1] [fd00:ec2::254] [fe80::1] [64:ff9b::169.254.169.254] [2002:a9fe:a9fe::]".split(" "),
    ]
  ) {
    await assertFails(
      fetchUnconnected(`http://${host}/latest/meta-data`),
      "BLOCKED_URL",
      /does not point to the public internet/,
    );
  }
});

Deno.test("safeFetch rejects private names before it resolves them", async () => {
  for (
    const host of [
      ..."localhost LOCALHOST localhost. localhost.. ⓛocalhost loc\u00adalhost %6cocalhost a.localhost".split(" "),
      ..."printer.local db.internal metadata.google.internal host.docker.internal a.home.arpa x.localdomain".split(" "),
    ]
  ) {
    await assertFails(fetchUnconnected(`https://${host}/`), "BLOCKED_URL", /does not point to the public internet/);
  }
});

Deno.test("safeFetch resolves public names that resemble private ones", async () => {
  for (const host of ["localhost.example", "mylocal", "notlocalhost", "internal.example.com", "1e100.net"]) {
    await assertFails(fetchUnconnected(`http://${host}/`), "FETCH_FAILED", /was not found/);
  }
});

Deno.test("safeFetch throws INVALID_URL for an invalid URL", async () => {
  for (
    const url of [
      "",
      " ",
      "example.com/feed.xml",
      "http://",
      "http://./",
      "http://exa mple.com/",
      "http://256.1.1.1/",
      "http://1.2.3.4.5/",
      "http://09.1.1.1/",
      "http://4294967296/",
      "http://[fe80::1%25eth0]/",
      "http://[fe80::1%eth0]/",
      "http://a..b\0/",
      "http://example.com:99999/",
      "http://example.com/a\r\nHost: other",
      "http://exam\nple.com/",
      "http://example.com/\tb",
      "http://localhost%00.example.com/",
    ]
  ) {
    await assertFails(fetchUnconnected(url), "INVALID_URL", /^Invalid URL$/);
  }
});

Deno.test("safeFetch throws INVALID_URL for schemes other than http and https", async () => {
  for (const url of ["ftp://example.com/a", "file:///etc/passwd", "data:text/plain,a", "javascript:1", "gopher://a/"]) {
    await assertFails(fetchUnconnected(url), "INVALID_URL", /http and https/);
  }
});

Deno.test("safeFetch throws INVALID_URL for a URL with credentials", async () => {
  for (const url of ["http://user@example.com/", "https://user:secret@example.com/", "http://:secret@example.com/"]) {
    const failure = await assertFails(fetchUnconnected(url), "INVALID_URL", /must not contain credentials/);
    assert.doesNotMatch(failure.message, /secret/);
  }
});

Deno.test("safeFetch throws BLOCKED_URL for ports below 1024, except 80 and 443", async () => {
  for (const port of [0, 1, 21, 22, 23, 25, 53, 79, 81, 110, 442, 444, 465, 587, 1023]) {
    await assertFails(fetchUnconnected(`http://example.com:${port}/`), "BLOCKED_URL", new RegExp(`Port ${port} `));
  }
  for (
    const url of ["http://example.com:443/", "https://example.com:80/", "http://example.com:1024/", "http://a:65535/"]
  ) {
    await assertFails(fetchUnconnected(url), "FETCH_FAILED", /was not found/);
  }
});

Deno.test("a listed host skips the checks, for its listed port or for all ports", () => {
  const isListed = (url: string, allowedHosts: string[]) => parseTarget(url, allowedHosts).isListed;
  assert.ok(isListed("http://localhost:22/", ["localhost"]));
  assert.ok(isListed("http://localhost:22/", ["localhost:22"]));
  assert.ok(isListed("http://LocalHost./", ["LOCALHOST:80"]));
  assert.ok(isListed("https://localhost/", ["localhost:443"]));
  assert.ok(isListed("http://0x7f.1:8080/", ["127.0.0.1:8080"]));
  assert.ok(isListed("http://[0:0::1]:8080/", ["[::1]:8080"]));
  assert.ok(!isListed("http://example.com/", ["localhost", "ample.com", "example.com:8080", "com", "*", ""]));
  assert.throws(() => parseTarget("http://localhost:23/", ["localhost:22"]), { code: "BLOCKED_URL" });
  assert.throws(() => parseTarget("http://a.localhost/", ["localhost"]), { code: "BLOCKED_URL" });
});

Deno.test("a listed host skips no other check", () => {
  assert.throws(() => parseTarget("http://user:secret@localhost/", ["localhost"]), { code: "INVALID_URL" });
  assert.throws(() => parseTarget("ftp://localhost/", ["localhost"]), { code: "INVALID_URL" });
});
