// Secrets in emails: each is derived from its kind, its id and the worker's secret.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { deriveCode, deriveToken, digestOf } = await withEnvironment(
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

Deno.test("deriveCode returns six digits, the same for the same kind and key, and their keyed digest", () => {
  const keys = Array.from({ length: 1000 }, (_, n) => n.toString(16).padStart(64, "0"));
  const codes = keys.map((key) => deriveCode("ownership_code", key).code);
  for (const code of codes) assert.match(code, /^\d{6}$/);
  assert.ok(new Set(codes).size > 990, "codes differ");
  const { code, digest } = deriveCode("ownership_code", keys[1]);
  assert.equal(code, codes[1]);
  assert.notEqual(deriveCode("email_confirmation", keys[1]).code, code);
  assert.equal(digest.toString("hex"), createHash("sha256").update(keys[1], "hex").update(code).digest("hex"));
});

Deno.test("digestOf is the sha256 of a token", () => {
  assert.equal(digestOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
