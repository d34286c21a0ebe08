// URLs that are saved to be requested later: the database decides about them as safeFetch does.
import assert from "node:assert/strict";
import { isPublic, parseIp } from "../../functions/safe_fetch/ip_address.ts";
import { FetchError } from "../../functions/safe_fetch/fetch_error.ts";
import { parseTarget } from "../../functions/safe_fetch/target.ts";
import { sql } from "../http/harness.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

const BLOCKED = "The URL does not point to the public internet";

/** What safeFetch says before it resolves a name: a reason, null, or "invalid". */
function reasonOf(url: string, allowedHosts: string[]): string | null {
  try {
    const { host, isListed } = parseTarget(url, allowedHosts);
    const literal = parseIp(host);
    return literal && !isListed && !isPublic(literal) ? BLOCKED : null;
  } catch (error) {
    assert.ok(error instanceof FetchError, url);
    return error.code === "BLOCKED_URL" ? error.message : "invalid";
  }
}

interface Verdict {
  url: string;
  reason: string | null;
  is_parsable: boolean;
}

/** The verdicts of the database with this setting, which no other session sees. */
const verdictsOf = (urls: string[], allowedHosts: string[] = []) =>
  sql.begin(async (t) => {
    await t`select private.set_setting('fetch_allowed_hosts', ${allowedHosts.join(", ")})`;
    const rows = await t<Verdict[]>`
      select url, private.blocked_url_reason(url) as reason, private.is_parsable_http_url(url) as is_parsable
      from unnest(${urls}::text[]) with ordinality u (url, n) order by n`;
    await t`rollback and chain`;
    return [...rows];
  });

const TABLE: [string, string | null][] = [
  ["http://127.0.0.1/", BLOCKED],
  ["http://127.0.0.1./", BLOCKED],
  ["http://127.1/", BLOCKED],
  ["http://127.0.1/", BLOCKED],
  ["http://0x7f.1/", BLOCKED],
  ["http://0x7F000001/", BLOCKED],
  ["http://2130706433/", BLOCKED],
  ["http://0177.0.0.1/", BLOCKED],
  ["http://0000177.0.0.1/", BLOCKED],
  ["http://017700000001/", BLOCKED],
  ["http://0/", BLOCKED],
  ["http://0x/", BLOCKED],
  ["http://169.254.169.254/latest/meta-data", BLOCKED],
  ["http://0xA9FEA9FE:80", BLOCKED],
  ["http://2852039166?a", BLOCKED],
  ["http://10.0.0.1:8080/", BLOCKED],
  ["http://168.63.129.16/", BLOCKED],
  ["https://[::1]/", BLOCKED],
  ["https://[::]:443/", BLOCKED],
  ["https://[0:0:0:0:0:0:0:1]/", BLOCKED],
  ["https://[::ffff:127.0.0.1]/", BLOCKED],
  ["https://[::FFFF:7f00:1]/", BLOCKED],
  ["https://[fe80::1]/", BLOCKED],
  ["https://[fd00:ec2::254]/", BLOCKED],
  ["https://[64:ff9b::169.254.169.254]/", BLOCKED],
  ["https://[64:ff9b::8.8.8.8]/", null],
  ["https://[2002:a9fe:a9fe::]/", BLOCKED],
  ["https://[2002:808:808::1]/", null],
  ["https://[2001:0:808:808::f7f7:f7f7]/", null],
  ["https://[2001:0:808:808::80ff:fffe]/", BLOCKED],
  ["https://[2001:0:a00:1::f7f7:f7f7]/", BLOCKED],
  ["https://[2001:db8::1]/", BLOCKED],
  ["https://[2606:4700::1111]:8443/", null],
  ["https://localhost/", BLOCKED],
  ["HTTPS://LOCALHOST:3000/", BLOCKED],
  ["https://localhost./", BLOCKED],
  ["https://a.localhost", BLOCKED],
  ["https://printer.local/", BLOCKED],
  ["https://metadata.google.internal/", BLOCKED],
  ["https://host.docker.internal:80/", BLOCKED],
  ["https://a.home.arpa/", BLOCKED],
  ["https://x.localdomain/", BLOCKED],
  ["https://notlocalhost/", null],
  ["https://localhost.example/", null],
  ["https://internal.example.com/hook?a=http://localhost/", null],
  ["https://1e100.net/", null],
  ["https://example.com/", null],
  ["https://example.com:25/", "Port 25 is not allowed"],
  ["https://example.com:0/", "Port 0 is not allowed"],
  ["https://example.com:00443/", null],
  ["https://example.com:80/", null],
  ["https://example.com:1023/", "Port 1023 is not allowed"],
  ["https://example.com:1024/", null],
  ["https://example.com:/", null],
  ["http://8.8.8.8/", null],
  ["http://8.8.2056/", null],
];

Deno.test("the database and safeFetch block the same URLs, for the same reason", async () => {
  const verdicts = await verdictsOf(TABLE.map(([url]) => url));
  for (const [n, [url, expected]] of TABLE.entries()) {
    assert.deepEqual([url, verdicts[n].reason, reasonOf(url, [])], [url, expected, expected]);
  }
});

Deno.test("the database and safeFetch accept the private hosts of fetch_allowed_hosts, and no others", async () => {
  const allowed = ["LOCALHOST:3000", "127.0.0.1", "[::1]:8080", "nas.local"];
  const urls = [
    "http://localhost:3000/",
    "http://LocalHost.:3000/",
    "http://localhost/",
    "http://a.localhost:3000/",
    "http://127.0.0.1:25/",
    "http://0x7f.1/",
    "http://127.0.0.2/",
    "http://[0:0::1]:8080/",
    "http://[::1]/",
    "http://nas.local/",
    "http://nas.local.evil.example/",
    "http://nas.local.internal/",
  ];
  for (const { url, reason } of await verdictsOf(urls, allowed)) assert.equal(reason, reasonOf(url, allowed), url);
  assert.deepEqual(
    (await verdictsOf(urls, allowed)).map(({ reason }) => reason === null),
    [
      ..."++--++-+-++-".replace(/^(.{10})\+/, "$1+"),
    ].map((sign) => sign === "+"),
  );
});

/** A URL of parts that parsers read in different ways. */
function drawUrl(seed: number): string {
  const { below, chance, one } = seededRandom(seed);
  const number = () => {
    const value = one([
      0,
      1,
      8,
      10,
      63,
      64,
      100,
      127,
      128,
      168,
      169,
      172,
      192,
      198,
      203,
      224,
      254,
      255,
      256,
      below(2 ** 32),
    ]);
    return one([String(value), String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`]);
  };
  const group = () =>
    one(["", "0", "1", "64", "ff9b", "2001", "2002", "db8", "fe80", "ffff", "7f00", "a9fe", below(65536).toString(16)]);
  const label = () =>
    one([
      "a",
      "Example",
      "com",
      "localhost",
      "local",
      "internal",
      "home",
      "arpa",
      "x_y",
      "a--b",
      "1a",
      "0x",
      "-",
      "é",
      "%61",
      "①",
      "",
    ]);
  const host = chance(0.35)
    ? Array.from({ length: 1 + below(5) }, number).join(".")
    : chance(0.35)
    ? `[${Array.from({ length: 1 + below(8) }, group).join(":")}${one(["", "", ":127.0.0.1", ":8.8.8.8", "::"])}]`
    : Array.from({ length: 1 + below(4) }, label).join(".");
  const port = chance(0.6)
    ? ""
    : `:${one(["", "0", "25", "80", "00443", "1023", "1024", "65535", "65536", "999999999999"])}`;
  return `${one(["http", "https", "HTTP"])}://${one(["", "", "", "", "u@", "u:p@"])}${host}${
    one(["", "", "", "."])
  }${port}${one(["", "/", "/a", "?b", "#c"])}`;
}

Deno.test("the database and safeFetch agree about random URLs", async () => {
  const first = byScale(0, Math.floor(Math.random() * 2 ** 30)), count = byScale(6000, 300_000);
  const urls = Array.from({ length: count }, (_, n) => drawUrl(first + n));
  let blocked = 0, accepted = 0;
  for (const [n, { url, reason, is_parsable }] of (await verdictsOf(urls)).entries()) {
    const expected = reasonOf(url, []), name = `seed ${first + n}: ${url}`;
    if (is_parsable) assert.equal(reason, expected, name);
    // of URLs that are not parsable, the database may miss one, but never blocks one that safeFetch requests
    else if (reason !== null) assert.notEqual(expected, null, name);
    if (is_parsable && reason === null) accepted++;
    if (reason !== null) blocked++;
  }
  assert.ok(blocked > count / 10 && accepted > count / 20, `${blocked} are blocked, ${accepted} accepted of ${count}`);
});
