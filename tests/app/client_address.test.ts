import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { clientAddress, clientNetwork } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../functions/app/client_address.ts"),
);

const addressOf = (forwarded: string | string[], proxies?: number) => {
  const headers = new Headers();
  for (const value of [forwarded].flat()) headers.append("x-forwarded-for", value);
  return clientAddress(new Request("http://castbase.test", { headers }), proxies);
};

Deno.test("clientAddress returns the last hop, which the platform's proxy appended, by default", () => {
  assert.equal(addressOf("192.0.2.1"), "192.0.2.1");
  assert.equal(addressOf("198.51.100.1, 192.0.2.1"), "192.0.2.1");
  assert.equal(addressOf(["198.51.100.1", "198.51.100.2,192.0.2.1"]), "192.0.2.1");
});

Deno.test("clientAddress returns the hop that the outermost of several trusted proxies appended", () => {
  assert.equal(addressOf("192.0.2.1, 203.0.113.1", 2), "192.0.2.1");
  assert.equal(addressOf("198.51.100.1, 192.0.2.1, 203.0.113.1", 2), "192.0.2.1");
  assert.equal(addressOf("198.51.100.1, 192.0.2.1,203.0.113.2,203.0.113.1", 3), "192.0.2.1");
});

Deno.test("clientAddress returns the first hop when fewer proxies than the trusted ones wrote one", () => {
  assert.equal(addressOf("192.0.2.1", 3), "192.0.2.1");
});

Deno.test("clientAddress returns unknown without a header or with an empty hop, and at most 64 characters", () => {
  assert.equal(clientAddress(new Request("http://castbase.test")), "unknown");
  assert.equal(addressOf("198.51.100.1, "), "unknown");
  assert.equal(addressOf("x".repeat(10_000)).length, 64);
});

const networkOf = (address: string) =>
  clientNetwork(new Request("http://castbase.test", { headers: { "x-forwarded-for": address } }));

Deno.test("clientNetwork returns the 64-bit network of an IPv6 address, as private.address_rate_limit_key does", () => {
  for (const address of ["2001:db8:0:1::1", "2001:DB8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::192.0.2.1"]) {
    assert.equal(networkOf(address), "2001:db8:0:1::/64");
  }
  assert.equal(networkOf("2001:db8::1"), "2001:db8:0:0::/64");
  assert.equal(networkOf("::1"), "0:0:0:0::/64");
});

Deno.test("clientNetwork returns IPv4 addresses and unreadable ones as they are", () => {
  for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1:80", "fe80::1%eth0", "unknown"]) {
    assert.equal(networkOf(address), address);
  }
});
