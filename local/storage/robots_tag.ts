// The X-Robots-Tag header of an upload, which the object keeps for its downloads.
import { StorageError } from "./errors.ts";

const simple = /^(all|noindex|nofollow|none|nosnippet|indexifembedded|notranslate|noimageindex)$/;
const withValue = /^(max-snippet|max-image-preview|max-video-preview|unavailable_after):\s*(.*)$/;
/** Dates may contain commas: one ends before a comma and the next rule. */
const separator = /,(?=\s*(?:$|[a-z_-]+\s*(?:$|[:,])))/i;

const invalid = (reason: string) =>
  new StorageError(400, "InvalidRequest", `Invalid X-Robots-Tag header: ${reason}`, "invalid_x_robots_tag");

/** Throws InvalidRequest for a header that is not a list of rules. */
export function requireValidRobotsTag(header: string) {
  if (!header.trim()) throw invalid("X-Robots-Tag header value must be a non-empty string");
  for (const rule of header.split(separator).map((part) => part.trim())) {
    const [, name, value] = withValue.exec(rule) ?? [];
    if (name) requireValidValue(name, value.trim());
    else if (!rule) throw invalid("X-Robots-Tag header contains empty rule");
    else if (!simple.test(rule)) requireValidAgentRule(rule);
  }
}

/** A rule for one crawler: `googlebot: nofollow`. */
function requireValidAgentRule(rule: string) {
  const [, agent, rest] = /^([^:]*):(.*)$/.exec(rule) ?? [];
  if (agent === undefined) throw invalid(`Invalid X-Robots-Tag rule: "${rule}"`);
  if (!rest.trim()) throw invalid(`X-Robots-Tag user agent "${agent.trim()}" has no rules specified`);
  if (!simple.test(rest.trim())) {
    const [, name, value] = withValue.exec(rest.trim()) ?? [];
    if (!name) throw invalid(`Invalid X-Robots-Tag rule: "${rest.trim()}"`);
    requireValidValue(name, value.trim());
  }
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
