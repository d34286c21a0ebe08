// Access tokens: signed with ES256, as hosted Supabase signs them, or with the project's own key. Tokens that a project
// signs itself with the shared secret (HS256) are accepted too: the secret is public and gives what the secret key gives.
import { writeAtomically } from "../host/data_folder.ts";
import { readOptionalText } from "../host/optional_file.ts";
import { StartupError } from "../host/startup_error.ts";
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from "jose";

interface TokenOptions {
  /** Holds the private key, so that sessions outlive a restart. */
  file: string;
  /** The project's keys ([auth] signing_keys_path), which replace that one. */
  projectKeys?: string;
  publishable: string;
  secret: string;
  /** The shared secret of HS256 tokens. */
  jwtSecret: string;
}
export type Tokens = Awaited<ReturnType<typeof createTokens>>;

export async function createTokens(options: TokenOptions) {
  const privateJwks = options.projectKeys
    ? await readProjectKeys(options.projectKeys)
    : [await readKey(options.file) ?? await createKey(options.file)];
  const [signingJwk] = privateJwks;
  const signingKey = await importJWK({ ...signingJwk, key_ops: ["sign"] });
  const publicJwks = privateJwks.map(publicJwk);
  const publicKeys = await Promise.all(
    publicJwks.map(async ({ kid, alg, ...jwk }) => ({ kid, alg: alg!, key: await importJWK(jwk, alg) })),
  );
  const sharedKey = { kid: undefined, alg: "HS256", key: new TextEncoder().encode(options.jwtSecret) };
  const keys = [...publicKeys, sharedKey];
  const algorithms = keys.map(({ alg }) => alg);

  const verify = async (token: string): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, ({ kid, alg }) => {
      const fitting = keys.filter((key) => key.alg === alg);
      return (fitting.find((key) => key.kid === kid) ?? fitting[0]).key;
    }, { algorithms });
    return payload;
  };

  return {
    /** The public keys that verify tokens. */
    jwks: { keys: publicJwks },

    sign: (claims: JWTPayload): Promise<string> =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: signingJwk.alg!, typ: "JWT", kid: signingJwk.kid })
        .sign(signingKey),

    /** The claims of a user's token. Rejects invalid tokens and keys. */
    verify,

    /** The claims of a user's token or of one of the two keys. Rejects invalid tokens. */
    async claims(token: unknown): Promise<JWTPayload> {
      if (token === options.secret) return { role: "service_role" };
      if (typeof token !== "string" || token.startsWith("sb_")) return { role: "anon" };
      return await verify(token);
    },
  };
}

/** Leaves out what a private key adds. */
function publicJwk({ kid, alg, kty, crv, x, y, n, e }: JWK): JWK {
  const key = kty === "RSA" ? { n, e } : { crv, x, y };
  return { kty, ...key, kid, alg, use: "sig", key_ops: ["verify"] };
}

async function readProjectKeys(file: string): Promise<JWK[]> {
  const text = await readOptionalText(file);
  if (text === undefined) throw new StartupError(`[auth] signing_keys_path: ${file} does not exist.`);
  const isKey = (key: JWK | null) =>
    key?.d && (key.alg === "ES256" && key.kty === "EC" || key.alg === "RS256" && key.kty === "RSA");
  try {
    const keys: JWK[] = JSON.parse(text);
    if (Array.isArray(keys) && keys.length > 0 && keys.every(isKey)) return keys;
  } catch { // the same reason
  }
  throw new StartupError(`[auth] signing_keys_path: ${file} must be a JSON array of private keys for ES256 or RS256.`);
}

async function readKey(file: string): Promise<JWK | undefined> {
  const text = await readOptionalText(file);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not a valid signing key. Delete it to generate a new one.`, { cause: error });
  }
}

async function createKey(file: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...await exportJWK(privateKey), kid: crypto.randomUUID(), alg: "ES256" };
  await writeAtomically(file, JSON.stringify(key));
  return key;
}
