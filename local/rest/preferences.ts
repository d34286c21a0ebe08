// The Prefer header.
import { RequestError } from "./errors.ts";

export interface Preferences {
  resolution?: "merge-duplicates" | "ignore-duplicates";
  return?: "representation" | "minimal" | "headers-only";
  count?: "exact" | "planned" | "estimated";
  missing?: "default" | "null";
  handling?: "strict" | "lenient";
  timezone?: string;
  /** With handling=strict only. */
  maxAffected?: number;
  tx?: "commit" | "rollback";
  /** Those that are unknown. */
  invalid: string[];
}

const values = new Map(Object.entries({
  resolution: ["merge-duplicates", "ignore-duplicates"],
  return: ["representation", "minimal", "headers-only"],
  count: ["exact", "planned", "estimated"],
  missing: ["default", "null"],
  handling: ["strict", "lenient"],
  tx: ["commit", "rollback"],
}));

/** The first of repeated preferences applies. `tx` applies only if the configuration allows it. */
export function parsePreferences(header: string | null, allowsTx: boolean): Preferences {
  const preferences: Partial<Preferences> & Record<string, unknown> = {};
  const invalid: string[] = [];
  for (const preference of (header ?? "").split(",").map((part) => part.trim())) {
    const at = preference.indexOf("=");
    const name = preference.slice(0, Math.max(at, 0)), value = preference.slice(at + 1);
    if (name === "timezone") preferences.timezone ??= value;
    else if (name === "max-affected") preferences.maxAffected ??= /^-?\d+$/.test(value) ? Number(value) : NaN;
    else if (!values.get(name)?.includes(value)) invalid.push(preference);
    else if (name !== "tx" || allowsTx) preferences[name] ??= value;
  }
  const isLimited = preferences.handling === "strict" && !Number.isNaN(preferences.maxAffected);
  if (!isLimited) delete preferences.maxAffected;
  return { ...preferences, invalid: header === null ? [] : invalid };
}

export function rejectInvalid({ handling, invalid }: Preferences) {
  if (!invalid.length || handling !== "strict") return;
  throw new RequestError(400, {
    code: "PGRST122",
    message: "Invalid preferences given with handling=strict",
    details: `Invalid preferences: ${invalid.join(", ")}`,
  });
}

/** The Preference-Applied header. `kinds` are those that apply to some requests only. */
export function preferenceApplied(
  preferences: Preferences,
  kinds: ("resolution" | "missing" | "return" | "maxAffected")[],
): string {
  const { count, tx, handling, timezone, maxAffected } = preferences;
  const named = { count, tx, handling, timezone };
  return [
    ...(["resolution", "missing", "return"] as const).filter((kind) => kinds.includes(kind))
      .map((kind) => [kind, preferences[kind]]),
    ...Object.entries(named),
    ...kinds.includes("maxAffected") ? [["max-affected", maxAffected]] : [],
  ].filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`).join(", ");
}
