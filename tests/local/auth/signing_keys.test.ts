// [auth] signing_keys_path: the project's own keys sign access tokens.
import { deepStrictEqual as same, ok, rejects } from "node:assert";
import { decodeProtectedHeader, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { createTokens } from "../../../local/auth/tokens.ts";
import { folderOfFile } from "../../temporary_folder.ts";

async function createKey(alg: "ES256" | "RS256"): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...await exportJWK(privateKey), kid: crypto.randomUUID(), alg, key_ops: ["sign", "verify"] };
}

async function withKeys(content: unknown, work: (tokens: Awaited<ReturnType<typeof createTokens>>) => Promise<void>) {
  const folder = await folderOfFile("castbase-keys-");
  const projectKeys = `${folder}/signing_keys.json`;
  if (content !== undefined) await Deno.writeTextFile(projectKeys, JSON.stringify(content));
  await work(
    await createTokens({
      file: `${folder}/jwk.json`,
      projectKeys,
      publishable: "p",
      secret: "s",
      jwtSecret: "shared",
    }),
  );
  same([...Deno.readDirSync(folder)].map(({ name }) => name), ["signing_keys.json"]);
}

Deno.test("the first key signs, and every key verifies", async () => {
  const [first, second] = [await createKey("RS256"), await createKey("ES256")];
  let old = "";
  await withKeys([second], async ({ sign }) => void (old = await sign({ sub: "old" })));
  await withKeys([first, second], async ({ sign, claims, jwks }) => {
    const token = await sign({ sub: "new" });
    same(decodeProtectedHeader(token), { alg: "RS256", typ: "JWT", kid: first.kid });
    same([(await claims(token)).sub, (await claims(old)).sub], ["new", "old"]);
    same(jwks.keys.map(({ kid, alg }) => [kid, alg]), [[first.kid, "RS256"], [second.kid, "ES256"]]);
    ok(jwks.keys.every((key) => !("d" in key) && !("p" in key) && key.key_ops?.join() === "verify"));
  });
});

Deno.test("a token of another key, of another algorithm or of the public key as a secret is rejected", async () => {
  const [own, other] = [await createKey("ES256"), await createKey("ES256")];
  let foreign = "";
  await withKeys([{ ...other, kid: own.kid }], async ({ sign }) => void (foreign = await sign({ sub: "x" })));
  await withKeys([own], async ({ claims, jwks }) => {
    await rejects(claims(foreign), /signature verification failed/);
    const secret = new TextEncoder().encode(JSON.stringify(jwks.keys[0]));
    const signed = (alg: string) => new SignJWT({ sub: "x" }).setProtectedHeader({ alg, kid: own.kid }).sign(secret);
    await rejects(claims(await signed("HS256")), /signature verification failed/);
    await rejects(claims(await signed("HS512")), /"alg" \(Algorithm\) Header Parameter value not allowed/);
  });
});

Deno.test("a missing or malformed file of signing keys is a startup error that names it", async () => {
  const { d: _, ...publicOnly } = await createKey("ES256");
  const work = () => Promise.resolve();
  await rejects(withKeys(undefined, work), /signing_keys_path: .*signing_keys\.json does not exist/);
  for (const content of [[], {}, [null], [publicOnly], [{ kty: "oct", k: "c2VjcmV0", alg: "HS256", d: "x" }]]) {
    await rejects(withKeys(content, work), /must be a JSON array of private keys for ES256 or RS256/);
  }
});
