// Functions in a test's own process. They read their environment once, when they are first imported.
import { join } from "node:path";
import { repository } from "../local/host/project.ts";

/** A complete environment whose database and services are unreachable. */
export const UNREACHABLE_ENV = {
  SUPABASE_URL: "http://127.0.0.1:1",
  SUPABASE_DB_URL: "postgres://127.0.0.1:1/none",
  SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_x"}',
  SUPABASE_SECRET_KEYS: '{"default":"sb_secret_x"}',
  SUPABASE_JWKS: '{"keys":[{"kty":"EC"}]}',
  WORKER_SECRET: "a secret of sixteen characters",
};

/**
 * Imports functions with this environment. Concurrent test files share the environment of their process, so a lock
 * protects it until the functions have read it.
 */
export async function withEnvironment<T>(env: Record<string, string>, load: () => Promise<T>): Promise<T> {
  using lock = await Deno.open(join(repository, ".cache/environment.lock"), { create: true, write: true });
  await lock.lock(true);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  try {
    return await load();
  } finally {
    for (const name of Object.keys(env)) Deno.env.delete(name);
  }
}
