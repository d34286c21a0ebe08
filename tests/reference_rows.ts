// The rows of sql/: what the files sql/<domain>/rows.sql install.
import type { SourceFile } from "./source_files.ts";

export const isRowsFile = (path: string) => /^sql\/\d+_\w+\/rows\.sql$/.test(path);

/** What follows the opening parenthesis of a row: its name, and the next value as it is written. */
const SETTING =
  /(?:^ {4}|install_setting)\('(\w+)',\s+'(?:count|bytes|seconds|minutes|hours|days|urls?|hosts|host_patterns|email|choice|text)',\s+(null|'(?:[^']|'')*')/gm;
const QUEUE = /install_queue\('(\w+)', (\d+)/g;
const PLAN_LIMIT = /\('([a-z]+)', '(max_\w+)', (\d+|null)\)/g;

/** The settings with their default values; null: none. */
export const settingsOf = (text: string): [key: string, value: string | null][] =>
  [...text.matchAll(SETTING)].map(([, key, value]) => [key, value === "null" ? null : value.slice(1, -1)]);

/** The queues with the attempts of a message. */
export const queuesOf = (text: string): [name: string, maxAttempts: number][] =>
  [...text.matchAll(QUEUE)].map(([, name, attempts]) => [name, Number(attempts)]);

/** The limits of plans; null: unlimited. */
export const planLimitsOf = (text: string): { plan: string; name: string; maxCount: number | null }[] =>
  [...text.matchAll(PLAN_LIMIT)].map(([, plan, name, max]) => ({
    plan,
    name,
    maxCount: max === "null" ? null : Number(max),
  }));

/** The rows of all domains, in load order. */
export const rowsText = (files: SourceFile[]) =>
  files.filter(({ path }) => isRowsFile(path)).map(({ text }) => text).join("\n");
