// Secrets in emails: each is derived from its kind, its id and the worker's secret.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { deriveOwnershipCode, deriveToken, digestOf } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../functions/mail/email_tokens.ts"),
);

Deno.test("deriveToken returns the same 256 bits for the same kind and id, and others for each other pair", () => {
  const tokens = (["open", "click", "unsubscribe", "access"] as const).flatMap((kind) =>
    ["a", "b", "a/b"].map((id) => deriveToken(kind, id))
  );
  assert.equal(new Set(tokens).size, 12);
  for (const token of tokens) assert.match(token, /^[\w-]{43}$/);
  assert.equal(deriveToken("open", "a"), tokens[0]);
  assert.equal(
    tokens[0],
    "1aNd6AyaDuvvy8twHBQn2KDKSyT-q5np7xC0dXuM8M4",
    "a new derivation would void the links of emails whose sending is repeated",
  );
});

Deno.test("deriveOwnershipCode returns six digits, the same for the same key", () => {
  const codes = Array.from({ length: 1000 }, (_, n) => deriveOwnershipCode(n.toString(16).padStart(64, "0")));
  for (const code of codes) assert.match(code, /^\d{6}$/);
  assert.ok(new Set(codes).size > 990, "codes differ");
  assert.equal(deriveOwnershipCode("1".padStart(64, "0")), codes[1]);
});

Deno.test("digestOf is the sha256 of a token", () => {
  assert.equal(digestOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
