// The X-Robots-Tag header of an upload, which the object keeps for its downloads.
import { StorageError } from "./errors.ts";

const simpleRules = "all|noindex|nofollow|none|nosnippet|indexifembedded|notranslate|noimageindex";
const valueRules = "max-snippet|max-image-preview|max-video-preview|unavailable_after";
const simple = new RegExp(`^(${simpleRules})$`);
const withValue = new RegExp(`^(${valueRules}):\\s*(.*)$`);
/** A date may contain commas: it ends before the comma of the next rule or crawler. */
const dateRule = new RegExp(`^unavailable_after:\\s*.+?(?=,\\s*(?:${simpleRules}|${valueRules}|[a-zA-Z0-9_-]+:)|$)`);

const invalid = (reason: string) =>
  new StorageError(400, "InvalidRequest", `Invalid X-Robots-Tag header: ${reason}`, "invalid_x_robots_tag");

/** Throws InvalidRequest for a header that is not a list of rules. A comma may end it. */
export function requireValidRobotsTag(header: string) {
  if (!header.trim()) throw invalid("X-Robots-Tag header value must be a non-empty string");
  for (const rule of rulesOf(header)) {
    const [, name, value] = withValue.exec(rule) ?? [];
    if (name) requireValidValue(name, value.trim());
    else if (!rule) throw invalid("X-Robots-Tag header contains empty rule");
    else if (!simple.test(rule)) requireValidCrawlerRule(rule);
  }
}

function rulesOf(header: string): string[] {
  const rules: string[] = [];
  for (let rest = header.trim(); rest;) {
    const rule = dateRule.exec(rest)?.[0] ?? rest.split(",", 1)[0];
    rules.push(rule.trim());
    rest = rest.slice(rule.length + 1).trim();
  }
  return rules;
}

/** A rule for one crawler: `googlebot: nofollow`. */
function requireValidCrawlerRule(rule: string) {
  const [, crawler, rest] = /^([^:]*):(.*)$/.exec(rule) ?? [];
  if (crawler === undefined) throw invalid(`Invalid X-Robots-Tag rule: "${rule}"`);
  if (!rest.trim()) throw invalid(`X-Robots-Tag user agent "${crawler.trim()}" has no rules specified`);
  requireValidRobotsTag(rest);
}

function requireValidValue(name: string, value: string) {
  if (!value) throw invalid(`X-Robots-Tag rule "${name}" requires a value`);
  const wrong = (expected: string) => invalid(`X-Robots-Tag "${name}" value must be ${expected}, got: "${value}"`);
  if (name === "max-image-preview") {
    if (!["none", "standard", "large"].includes(value)) throw wrong("one of: none, standard, large");
  } else if (name === "unavailable_after") {
    if (Number.isNaN(Date.parse(value))) throw wrong("a valid date");
  } else if (!/^(-1|\d+)$/.test(value)) throw wrong("an integer >= -1");
}
