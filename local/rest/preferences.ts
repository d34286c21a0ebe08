// The Prefer header.
import { RequestError } from "./errors.ts";

export interface Preferences {
  resolution?: "merge-duplicates" | "ignore-duplicates";
  return?: "representation" | "minimal" | "headers-only";
  count?: "exact" | "planned" | "estimated";
  missing?: "default" | "null";
  handling?: "strict" | "lenient";
  timezone?: string;
  maxAffected?: number;
}

const values = new Map(Object.entries({
  resolution: ["merge-duplicates", "ignore-duplicates"],
  return: ["representation", "minimal", "headers-only"],
  count: ["exact", "planned", "estimated"],
  missing: ["default", "null"],
  handling: ["strict", "lenient"],
  tx: ["commit", "rollback"], // ignored, because `db-tx-end` is commit on the platform
}));

/** The first of repeated preferences applies. */
export function parsePreferences(header: string | null): Preferences {
  const preferences: Record<string, string | number> = {};
  const unknown: string[] = [];
  for (const preference of (header ?? "").split(",").map((part) => part.trim()).filter(Boolean)) {
    const [name, value = ""] = preference.split("=", 2);
    if (name === "timezone") preferences.timezone ??= value;
    else if (name === "max-affected") {
      if (/^-?\d+$/.test(value)) preferences.maxAffected ??= Number(value);
    } else if (values.get(name)?.includes(value)) preferences[name] ??= value;
    else unknown.push(preference);
  }
  if (unknown.length && preferences.handling === "strict") {
    throw new RequestError(400, {
      code: "PGRST122",
      message: "Invalid preferences given with handling=strict",
      details: `Invalid preferences: ${unknown.join(", ")}`,
    });
  }
  return preferences as Preferences;
}

/** The Preference-Applied header of the given kinds. */
export function preferenceApplied(preferences: Preferences, kinds: (keyof Preferences)[]): string {
  const { handling, timezone, maxAffected } = preferences;
  return [
    ...kinds.flatMap((kind) => preferences[kind] === undefined ? [] : [`${kind}=${preferences[kind]}`]),
    ...handling ? [`handling=${handling}`] : [],
    ...timezone ? [`timezone=${timezone}`] : [],
    ...handling === "strict" && maxAffected !== undefined ? [`max-affected=${maxAffected}`] : [],
  ].join(", ");
}
