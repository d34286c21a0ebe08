// The head of a migration for its review: what each statement locks, and how long it works.
import { splitStatements } from "./statements.ts";

interface Rule {
  pattern: RegExp;
  /** What the statement costs, and how a release does without the cost. */
  note: string;
}

const FOR_ONE_RELEASE = "the previous release may still use it; drop it one release later";

/** The first rule that fits a statement counts. squawk knows more of them; these name the lock and the way out. */
const RULES: Rule[] = [
  {
    pattern: /^create (unique )?index concurrently\b/,
    note: "blocks no writes; if it fails, drop the invalid index and push again",
  },
  {
    pattern: /^drop (table|function|view|materialized view|type|schema|sequence)\b|^alter table .*\sdrop column\b/s,
    note: FOR_ONE_RELEASE,
  },
  {
    pattern: /\balter column \S+ (set data )?type\b/,
    note: "rewrites the table unless the type only widens, without reads or writes meanwhile; add a new " +
      "column, and drop this one a release later",
  },
  {
    pattern: /\bset not null\b/,
    note:
      "reads the whole table, without reads or writes meanwhile; first validate a check that the column is not null",
  },
  {
    pattern: /\badd (column )?.*\bgenerated always as\b.*\bstored\b/s,
    note: "rewrites the table, without reads or writes meanwhile",
  },
  {
    pattern: /\badd column\b.*\bdefault\b.*(random|clock_timestamp|nextval)|\badd column\b.*\b(identity|serial)\b/s,
    note:
      "rewrites the table, without reads or writes meanwhile; add the column without a default and backfill in batches",
  },
  {
    pattern: /\badd constraint\b.*\bforeign key\b.*\bnot valid\b/s,
    note: "blocks writes to both tables for a moment; validate it in a later file",
  },
  {
    pattern: /\badd constraint\b.*\bforeign key\b/s,
    note: "reads the whole table and blocks writes to both tables meanwhile; add it as not valid, and validate later",
  },
  { pattern: /\badd constraint\b.*\bnot valid\b/s, note: "blocks the table for a moment; validate it in a later file" },
  {
    pattern: /\badd constraint\b.*\b(unique|primary key|exclude)\b/s,
    note: "builds an index, without reads or writes meanwhile; build it concurrently, and add it with using index",
  },
  {
    pattern: /\badd constraint\b/,
    note: "reads the whole table, without reads or writes meanwhile; add it as not valid, and validate later",
  },
  { pattern: /\bvalidate constraint\b/, note: "reads the whole table, with reads and writes meanwhile" },
  { pattern: /\badd column\b/, note: "blocks the table for a moment, because the default is constant or missing" },
  { pattern: /^(update|delete)\b/, note: "locks the rows that it writes; backfill large tables in batches" },
  {
    pattern: /^(alter table|create trigger|drop trigger|drop index|(create|alter|drop) policy)\b/,
    note: "blocks the table for a moment",
  },
];

/** A comment with one line for each statement that locks a table or drops what may be in use. Tables that it creates are empty. */
export function reviewNote(text: string): string {
  const statements = splitStatements(text);
  const created = statements.flatMap((statement) =>
    /^create table (\S+)/.exec(statement.replaceAll('"', ""))?.[1] ?? []
  );
  const lines = statements.flatMap((statement) => {
    const rule = RULES.find(({ pattern }) => pattern.test(statement));
    if (!rule || created.some((table) => tableOf(statement) === table)) return [];
    return `--   ${statement.replace(/\s+/g, " ").slice(0, 120).trim()}: ${rule.note}\n`;
  });
  return lines.length ? `-- Review (docs/releasing.md):\n${[...new Set(lines)].join("")}` : "";
}

/** The table that a statement changes. */
const tableOf = (statement: string) =>
  /^alter table (?:only )?(\S+)|\son (\S+)/.exec(statement.replaceAll('"', ""))?.slice(1).find(Boolean);
