// Email addresses in the messages of errors.
import assert from "node:assert/strict";
import { hideAddresses } from "../../functions/mail/hide_addresses.ts";

Deno.test("hideAddresses replaces each email address, in any form", () => {
  const cases: [string, string][] = [
    ["550 No such mailbox <gus@guests.test>", "550 No such mailbox <address>"],
    ["gus@guests.test, 'ida@guests.test' \"eve@x\"", "<address> '<address>' \"<address>\""],
    ["rejected gus+tag@güests.test.", "rejected <address>"],
    ["no address", "no address"],
  ];
  for (const [text, expected] of cases) assert.equal(hideAddresses(text), expected);
});

Deno.test("hideAddresses cuts a long message, and an address at the cut", () => {
  assert.equal(hideAddresses("x".repeat(100_000)).length, 2000);
  assert.equal(hideAddresses(`${" ".repeat(1990)}gus@guests.test`).trim(), "<address>");
});
