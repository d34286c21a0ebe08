// Public IP addresses: each range by its first and last address and its neighbors.
import assert from "node:assert/strict";
import { isPublic, parseIp } from "../../functions/safe_fetch/ip_address.ts";

function isPublicAddress(text: string): boolean {
  const address = parseIp(text);
  assert.ok(address, `${text} is an address`);
  return isPublic(address);
}

/** [first, last, public neighbor before, public neighbor after]; null where the neighbor is not public either. */
const RANGES: [first: string, last: string, before: string | null, after: string | null][] = [
  ["0.0.0.0", "0.255.255.255", null, "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
  ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
  ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "239.255.255.255", "223.255.255.255", null],
  ["240.0.0.0", "255.255.255.255", null, null],

  ["::", "::ffff:ffff", null, null], // unspecified, loopback, IPv4-compatible
  ["::ffff:0:0", "::ffff:ffff:ffff", null, null], // IPv4-mapped
  ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", null, null], // NAT64 of a network's own
  ["100::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", null, "2000::"],
  ["2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", null, "2001:200::"], // protocols', ORCHID among them
  ["2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", null, null],
  ["2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", null, null],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"],
  ["4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", null],
  ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", null, null],
  ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", null, null],
  ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", null, null],
];

for (const [first, last, before, after] of RANGES) {
  Deno.test(`isPublic: ${first} to ${last} is not public, and its neighbors are as expected`, () => {
    assert.ok(!isPublicAddress(first), first);
    assert.ok(!isPublicAddress(last), last);
    if (before) assert.ok(isPublicAddress(before), before);
    if (after) assert.ok(isPublicAddress(after), after);
  });
}

/** An IPv4 address in each IPv6 form that embeds one. */
function embedded(v4: string): string[] {
  const [a, b] = [v4.split(".").slice(0, 2), v4.split(".").slice(2)].map((parts) =>
    parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")
  );
  const turned = [a, b].map((group) => (0xffff ^ parseInt(group, 16)).toString(16));
  return [
    `64:ff9b::${v4}`,
    `64:ff9b::${a}:${b}`,
    `2002:${a}:${b}::1`,
    `2002:${a}:${b}:ffff:ffff:ffff:ffff:ffff`,
    `2001:0:808:808:0:0:${turned.join(":")}`, // Teredo's client, with a public server
    `2001:0:${a}:${b}:0:0:f7f7:f7f7`, // and its server, with a public client
  ];
}

Deno.test("isPublic decides NAT64, 6to4 and Teredo addresses by their embedded IPv4 address", () => {
  for (const inside of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1", "0.0.0.0", "255.255.255.255"]) {
    for (const address of embedded(inside)) assert.ok(!isPublicAddress(address), address);
  }
  for (const outside of ["8.8.8.8", "93.184.216.34"]) {
    for (const address of embedded(outside)) assert.ok(isPublicAddress(address), address);
  }
});

Deno.test("isPublic rejects IPv4 addresses mapped into IPv6", () => {
  for (const address of ["::ffff:8.8.8.8", "::ffff:808:808", "::8.8.8.8"]) {
    assert.ok(!isPublicAddress(address), address);
  }
});

Deno.test("isPublic accepts addresses of the public internet", () => {
  for (
    const address of ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2620:fe::fe"]
  ) {
    assert.ok(isPublicAddress(address), address);
  }
});

Deno.test("parseIp returns the canonical spelling", () => {
  assert.equal(parseIp("2001:0DB8:0:0:0:0:0:1")?.text, "2001:db8::1");
  assert.equal(parseIp("0:0:0:0:0:ffff:7f00:0001")?.text, "::ffff:7f00:1");
  assert.equal(parseIp("::ffff:127.0.0.1")?.text, "::ffff:7f00:1");
  assert.equal(parseIp("1:2:3:4:5:6:7:8")?.bits, 0x00010002000300040005000600070008n);
  assert.equal(parseIp("127.0.0.1")?.bits, 0x7f000001n);
});

Deno.test("parseIp rejects every spelling but full ones", () => {
  for (
    const text of [
      ..."0177.0.0.1 127.1 0x7f.0.0.1 2130706433 256.1.1.1 1.2.3.4.5 01.2.3.4 1.2.3 1.2.3.4.".split(" "),
      ..."fe80::1%eth0 fe80::1%251 [::1] ::1]/x 1::2::3 :::: 12345::1 1:2:3:4:5:6:7:8:9 g::1 example.com".split(" "),
      "",
      " 1.2.3.4",
      "1.2.3.4\n",
      "１.2.3.4",
    ]
  ) {
    assert.equal(parseIp(text), undefined, JSON.stringify(text));
  }
});
