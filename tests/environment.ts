// The functions in a test's own process: they read their environment once, when they are first imported.
import { join } from "node:path";
import { repository } from "../local/project.ts";

/** A complete environment of functions that reach neither the database nor the platform's services. */
export const UNREACHABLE_ENV = {
  SUPABASE_URL: "http://127.0.0.1:1",
  SUPABASE_DB_URL: "postgres://127.0.0.1:1/none",
  SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_x"}',
  SUPABASE_SECRET_KEYS: '{"default":"sb_secret_x"}',
  SUPABASE_JWKS: '{"keys":[{"kty":"EC"}]}',
  WORKER_SECRET: "a secret of sixteen characters",
};

/**
 * Imports functions with this environment. Test files that run at once share the one of their process: a lock keeps it
 * until these functions have read it.
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
