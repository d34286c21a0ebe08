// The tables that `npm run docs` writes into documents, between `<!-- generated: name -->` and `<!-- end -->`.
import { join } from "node:path";
import { LOSS_REASONS } from "../../functions/feed_reader/losses.ts";
import { WARNINGS } from "../../functions/feed_reader/warnings.ts";
import { TRANSCRIPT_WARNINGS } from "../../functions/media/transcripts/repairs.ts";
import { PLATFORM_PREFIX, Variables } from "../../functions/runtime/variables.ts";
import { repository } from "../../local/host/project.ts";
import { AutomationTrigger } from "../../types/automations.ts";
import { ERRORS, IMPORT_ERRORS, OTHER_IMPORT_WARNINGS, OTHER_LOSS_REASONS } from "../../types/error_codes.ts";
import { automationTagsOf, jobsOf, planLimitsOf, queuesOf, rowsText, settingsOf } from "../reference_rows.ts";
import { sourceFiles } from "../source_files.ts";

const code = (text: string) => text && `\`${text}\``;

/** A schedule of pg_cron; other forms stay as they are. */
const inWords = (schedule: string) =>
  schedule
    .replace(/^(\d+) seconds$/, "every $1 seconds")
    .replace(/^\* \* \* \* \*$/, "every minute")
    .replace(/^\*\/(\d+) \* \* \* \*$/, "every $1 minutes")
    .replace(/^(\d+) \* \* \* \*$/, "every hour, at minute $1")
    .replace(/^(\d+) (\d+) \* \* \*$/, (_, minute, hour) => `${hour.padStart(2, "0")}:${minute.padStart(2, "0")} UTC`);

/** A table as the formatter writes it. */
function table(head: string[], rows: string[][]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((title, n) => Math.max(title.length, ...cells.map((row) => row[n].length)));
  const line = (row: string[]) => `| ${row.map((cell, n) => cell.padEnd(widths[n])).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...cells.map(line)].join("\n");
}

const byCode = (head: string, texts: Record<string, string>) =>
  table([head, "Meaning"], Object.keys(texts).sort().map((one) => [code(one), texts[one]]));

/** A list of triggers, in which those of bookings have a short form. */
function triggersInWords(triggers: string[]): string {
  if (triggers.length === AutomationTrigger.options.length) return "every trigger";
  const isOfBookings = (trigger: string) => /^(?:booking|time)\./.test(trigger);
  const all = AutomationTrigger.options.filter(isOfBookings).every((trigger) => triggers.includes(trigger));
  const listed = all ? ["booking.*", "time.*", ...triggers.filter((trigger) => !isOfBookings(trigger))] : triggers;
  return listed.map(code).join(", ");
}

function tables(): Record<string, string> {
  const sources = sourceFiles(["sql"], /\.sql$/), rows = rowsText(sources);
  const limits = planLimitsOf(rows);
  const limitOf = (plan: string, name: string) => limits.find((one) => one.plan === plan && one.name === name);
  const inPlan = (plan: string, name: string) =>
    String((limitOf(plan, name) ?? limitOf("free", name)!).maxCount ?? "unlimited");
  return {
    variables: table(
      ["Variable", "For"],
      Object.entries(Variables.shape).filter(([name]) => !name.startsWith(PLATFORM_PREFIX))
        .map(([name, { description }]) => [code(name), description!]),
    ),
    jobs: table(
      ["Job", "When", "What"],
      jobsOf(sources).toSorted((a, b) => a.name < b.name ? -1 : 1).map((
        { name, schedule, description },
      ) => [code(name), inWords(schedule), description]),
    ),
    settings: table(
      ["Setting", "Kind", "Default", "What"],
      settingsOf(rows).toSorted((a, b) => a.key < b.key ? -1 : 1)
        .map(({ key, kind, defaultValue, description }) => [code(key), kind, code(defaultValue ?? ""), description]),
    ),
    plan_limits: table(
      ["Limit", "Free", "Pro"],
      [...new Set(limits.map(({ name }) => name))].sort()
        .map((name) => [code(name), inPlan("free", name), inPlan("pro", name)]),
    ),
    queues: table(
      ["Queue", "Attempts", "First wait", "Longest wait", "At once", "What"],
      queuesOf(rows).toSorted((a, b) => a.name < b.name ? -1 : 1)
        .map((
          one,
        ) => [
          code(one.name),
          String(one.maxAttempts),
          one.firstWait,
          one.longestWait,
          one.atOnce ?? "",
          one.description,
        ]),
    ),
    errors: table(
      ["Code", "Status", "Meaning"],
      Object.entries(ERRORS).map(([one, [status, meaning]]) => [code(one), status, meaning]),
    ),
    automation_tags: table(
      ["Tag", "Kind", "Always with", "If there is a value, with", "Example"],
      automationTagsOf(rows, AutomationTrigger.options).toSorted((a, b) => a.tag < b.tag ? -1 : 1)
        .map(({ tag, kind, always, sometimes, example }) => [
          code(tag),
          kind,
          triggersInWords(always),
          triggersInWords(sometimes),
          example,
        ]),
    ),
    import_errors: byCode("Code", IMPORT_ERRORS),
    import_warnings: byCode("Code", { ...WARNINGS, ...OTHER_IMPORT_WARNINGS }),
    transcript_warnings: byCode("Code", TRANSCRIPT_WARNINGS),
    loss_reasons: byCode("Reason", { ...LOSS_REASONS, ...OTHER_LOSS_REASONS }),
  };
}

/** The documents with generated tables: their text as it is, and as it should be. */
export function generatedDocuments(): { path: string; text: string; expected: string; names: string[] }[] {
  const all = tables();
  return ["docs/limits.md", "docs/errors.md", "docs/operating.md", "docs/front_ends.md"].map((file) => {
    const path = join(repository, file), text = Deno.readTextFileSync(path), names: string[] = [];
    const expected = text.replace(/(<!-- generated: (\w+) -->\n).*?(<!-- end -->)/gs, (_, start, name, end) => {
      if (!(name in all)) throw new Error(`${file}: no generated table is named ${name}`);
      names.push(name);
      return `${start}\n${all[name]}\n\n${end}`;
    });
    return { path, text, expected, names };
  });
}

export const generatedNames = () => Object.keys(tables());
