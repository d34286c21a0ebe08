// The rows of sql/: what the files sql/<domain>/rows.sql install.
import type { SourceFile } from "./source_files.ts";

export const isRowsFile = (path: string) => /^sql\/\d+_\w+\/rows\.sql$/.test(path);

const KIND = "count|bytes|seconds|minutes|hours|days|urls?|hosts|host_patterns|email|choice|text|header";
const TEXT = "'(?:[^']|'')*'";
/** Literals of SQL that follow each other, or are joined by ||, are one text. */
const TEXTS = `(${TEXT}(?:\\s+(?:\\|\\|\\s+)?${TEXT})*)`;

/** What follows the opening parenthesis of a row. */
const SETTING = new RegExp(
  String.raw`(?:^ {4}|install_setting)\('(\w+)',\s+'(${KIND})',\s+(null|${TEXT}),\s+${TEXTS}`,
  "gm",
);
const QUEUE = new RegExp(
  String.raw`install_queue\('(\w+)', (\d+), '([^']+)', '([^']+)',\s+${TEXTS}(?:,\s+_max_concurrency => (\d+))?`,
  "g",
);
const PLAN_LIMIT = /\('([a-z]+)', '(max_\w+)', (\d+|null)\)/g;

const unquoted = (texts: string) =>
  [...texts.matchAll(new RegExp(TEXT, "g"))].map(([text]) => text.slice(1, -1).replaceAll("''", "'")).join("");

/** The statements that call this function. */
const statements = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`private\\.${name}\\([^]*?;$`, "gm"))].map(([statement]) => statement).join("\n");

/** The settings; null: no default value. */
export const settingsOf = (text: string) =>
  [...statements(text, "install_setting").matchAll(SETTING)].map(([, key, kind, defaultValue, description]) => ({
    key,
    kind,
    defaultValue: defaultValue === "null" ? null : unquoted(defaultValue),
    description: unquoted(description),
  }));

/** The queues with the attempts of a message and the waits between them. */
export const queuesOf = (text: string) =>
  [...text.matchAll(QUEUE)].map(([, name, attempts, firstWait, longestWait, description, atOnce]) => ({
    name,
    maxAttempts: Number(attempts),
    /** Messages in process at once, over all workers; undefined: unlimited. */
    atOnce,
    firstWait,
    longestWait,
    description: unquoted(description),
  }));

/** The scheduled jobs, with the first sentence of each function's comment. */
export const jobsOf = (files: SourceFile[]) => {
  const text = files.map(({ text }) => text).join("\n");
  return [...rowsText(files).matchAll(/schedule_job\('(\w+)', '([^']+)'\)/g)].map(([, name, schedule]) => {
    const [, comment] = new RegExp(`comment on function private\\.${name} is\\s+${TEXTS};`).exec(text)!;
    return { name, schedule, description: unquoted(comment).split(/[.;:](?: |$)/)[0] };
  });
};

/** The limits of plans; null: unlimited. */
export const planLimitsOf = (text: string): { plan: string; name: string; maxCount: number | null }[] =>
  [...text.matchAll(PLAN_LIMIT)].map(([, plan, name, max]) => ({
    plan,
    name,
    maxCount: max === "null" ? null : Number(max),
  }));

const ARRAY = String.raw`(?:\w+|'\{[^}']*\}')`, ARRAYS = String.raw`${ARRAY}(?:\s*\|\|\s*${ARRAY})*`;
const TAG_LIST = new RegExp(
  String.raw`(\w+)\s+constant public\.automation_trigger\[\] := (?:enum_range|array\(|(${ARRAYS});)`,
  "g",
);
const TAG = new RegExp(
  String.raw`^ {4}\('(\w+)', '(text|moment|url)', (${ARRAYS}), (${ARRAYS}),\s+(e?${TEXT})\)`,
  "gm",
);

/** The tags of automations, with the triggers that provide each always, and those that do if there is a value. */
export const automationTagsOf = (text: string, triggers: readonly string[]) => {
  const lists: Record<string, string[]> = {
    every_trigger: [...triggers],
    of_bookings: triggers.filter((trigger) => /^(?:booking|time)\./.test(trigger)),
  };
  const read = (list: string): string[] =>
    list.split(/\s*\|\|\s*/).flatMap((part) =>
      part.startsWith("'") ? part.slice(2, -2).split(",").filter((trigger) => trigger) : lists[part]
    );
  for (const [, name, list] of text.matchAll(TAG_LIST)) if (list) lists[name] = read(list);
  return [...text.matchAll(TAG)].map(([, tag, kind, always, sometimes, example]) => ({
    tag,
    kind,
    always: read(always),
    sometimes: read(sometimes),
    example: unquoted(example).replaceAll("\\n", " "),
  }));
};

/** The rows of all domains, in load order. */
export const rowsText = (files: SourceFile[]) =>
  files.filter(({ path }) => isRowsFile(path)).map(({ text }) => text).join("\n");
