// The functions' environment through its life: keys that are rotated, secrets that are missing or malformed.
import { deepStrictEqual as deepEqual, ok, rejects, strictEqual as equal, throws } from "node:assert";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

let loaded = 0;
/** Reads the environment as a new isolate does, with the lines that it logs. */
async function load(changes: Record<string, string | undefined>) {
  const env = Object.fromEntries(
    Object.entries({ ...UNREACHABLE_ENV, ...changes }).filter((entry): entry is [string, string] =>
      entry[1] !== undefined
    ),
  );
  const lines: string[] = [], original = console.error;
  console.error = (line: string) => void lines.push(line);
  try {
    const module: typeof import("../../functions/runtime/env.ts") = await withEnvironment(
      env,
      () => import(`../../functions/runtime/env.ts?${loaded++}`),
    );
    return { ...module, lines };
  } finally {
    console.error = original;
  }
}

const missing = (message: string) => ({ status: 500, message, extras: { code: "MISSING_SETTING" } });

Deno.test("functions use the API key that a variable names, else the one named default, else the first", async () => {
  const secret = async (keys: object, changes = {}) =>
    (await load({ SUPABASE_SECRET_KEYS: JSON.stringify(keys), ...changes })).serviceHeaders().apikey;
  equal(await secret({ first: "a", default: "b" }), "b");
  equal(await secret({ backend_2027: "a", other: "b" }), "a");
  const both = { default: "old", backend_2027: "new" }, SECRET_KEY_NAME = "backend_2027";
  equal(await secret(both, { SECRET_KEY_NAME }), "new");
  equal(await secret({ default: "old" }, { SECRET_KEY_NAME }), "old", "an isolate that does not know the key yet");
  const publishable = async (keys: object, changes = {}) =>
    (await load({ SUPABASE_PUBLISHABLE_KEYS: JSON.stringify(keys), ...changes })).publishableKey();
  equal(await publishable({ default: "old", web_2027: "new" }, { PUBLISHABLE_KEY_NAME: "web_2027" }), "new");
  equal(await publishable({ web_2027: "new" }), "new", "the old one was deleted");
});

Deno.test("a function starts without secrets, and what needs one names it", async () => {
  const { requireVariable, serviceHeaders, publishableKey, env, lines } = await load({
    SUPABASE_SECRET_KEYS: undefined,
    SUPABASE_PUBLISHABLE_KEYS: "{}",
    SUPABASE_JWKS: '{"keys":[]}',
    WORKER_SECRET: undefined,
  });
  const effect = "the project's services cannot be called";
  throws(serviceHeaders, missing(`SUPABASE_SECRET_KEYS is not set; ${effect}`));
  throws(publishableKey, missing(`SUPABASE_PUBLISHABLE_KEYS has no key; ${effect}`));
  throws(
    () => requireVariable("WORKER_SECRET", "the worker sleeps"),
    missing("WORKER_SECRET is not set; the worker sleeps"),
  );
  deepEqual(env.SUPABASE_JWKS, { keys: [] });
  equal(lines.length, 1);
});

Deno.test("a malformed variable is logged without its value, and is missing where it is needed", async () => {
  const { env, requireVariable, lines } = await load({ STRIPE_SECRET_KEY: "pk_wrong", TRUSTED_PROXY_HOPS: "many" });
  const problem = "STRIPE_SECRET_KEY must be a secret or restricted key of Stripe";
  throws(() => requireVariable("STRIPE_SECRET_KEY", "no billing"), missing(`${problem}; no billing`));
  equal(env.TRUSTED_PROXY_HOPS, 1, "the default");
  deepEqual(lines.map((line) => JSON.parse(line).error), [
    `Ignored: TRUSTED_PROXY_HOPS must be a number from 1 to 9; ${problem}`,
  ]);
  ok(!lines.join().includes("pk_wrong"));
});

Deno.test("a function does not start without the project's URL and a database", async () => {
  await rejects(load({ SUPABASE_URL: undefined, SUPABASE_DB_URL: "none" }), {
    message: "Cannot start: SUPABASE_URL is not set; SUPABASE_DB_URL Invalid URL",
  });
  const pooler = "postgres://pooler:6543/postgres";
  deepEqual((await load({ SUPABASE_DB_URL: undefined, DATABASE_POOLER_URL: pooler })).databaseUrls, [pooler]);
});
