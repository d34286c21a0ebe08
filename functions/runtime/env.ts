/**
 * The functions' environment, read once at start. A function starts without a variable that it may never need: one that
 * is missing or malformed breaks what needs it, when it is needed (`requireVariable`).
 */
import type { z } from "zod";
import { ApiError } from "./api_error.ts";
import { logError } from "./log.ts";
import { problemWith, type VariableName as Name, Variables } from "./variables.ts";

type Variables = z.infer<typeof Variables>;

/** What is wrong with malformed variables. */
const problems = new Map<Name, string>();

function readVariable(name: Name) {
  const text = Deno.env.get(name), problem = text === undefined ? undefined : problemWith(name, text);
  if (problem) problems.set(name, problem);
  return [name, Variables.shape[name].safeParse(problem ? undefined : text).data];
}

/** The variables; undefined if an optional one is missing or malformed. */
export const env = Object.fromEntries((Object.keys(Variables.shape) as Name[]).map(readVariable)) as Variables;

const problemOf = (name: Name) => `${name} ${problems.get(name) ?? "is not set"}`;

/** The database's URLs, the preferred one first. */
export const databaseUrls = [env.DATABASE_POOLER_URL ?? env.SUPABASE_DB_URL, env.DATABASE_FALLBACK_URL]
  .filter((url) => url !== undefined);

const lacking: Name[] = [];
if (!env.SUPABASE_URL) lacking.push("SUPABASE_URL");
if (databaseUrls.length === 0) lacking.push("SUPABASE_DB_URL");
if (lacking.length > 0) throw new Error(`Cannot start: ${lacking.map(problemOf).join("; ")}`);
if (problems.size > 0) logError({ error: `Ignored: ${[...problems.keys()].map(problemOf).join("; ")}` });

/** A variable that an installation may lack. Throws 500 with its name and the effect, such as `billing is unavailable`. */
export function requireVariable<N extends Name>(name: N, effect: string): NonNullable<Variables[N]> {
  const value = env[name];
  if (value === undefined) throw new ApiError(500, `${problemOf(name)}; ${effect}`, { code: "MISSING_SETTING" });
  return value as NonNullable<Variables[N]>;
}

/** The key with which everyone may call the project's services. */
export const publishableKey = () => keyOf("SUPABASE_PUBLISHABLE_KEYS", env.PUBLISHABLE_KEY_NAME);

/** Headers of requests to the project's services that act as the service. */
export function serviceHeaders(): { apikey: string; authorization: string } {
  const apikey = keyOf("SUPABASE_SECRET_KEYS", env.SECRET_KEY_NAME);
  return { apikey, authorization: `Bearer ${apikey}` };
}

/** The key of this name, else `default`, else the first: `default` may be gone after a rotation. */
function keyOf(variable: "SUPABASE_PUBLISHABLE_KEYS" | "SUPABASE_SECRET_KEYS", name = "default"): string {
  const keys = requireVariable(variable, "the project's services cannot be called");
  return keys[name] ?? keys.default ?? Object.values(keys)[0];
}
