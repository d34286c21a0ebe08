/** Checks the parts of a rendered feed. The texts of the rules are in private.feed_rules() of sql/90_feeds. */
import { truncate } from "../text/plain_text.ts";
import { baseRules } from "./base_rules.ts";
import { carriedRules } from "./carried_rules.ts";
import { namespaceRules } from "./namespace_rules.ts";
import { podcasterRules } from "./podcaster_rules.ts";
import type { PlaceFacts, Rule } from "./rule.ts";
import { childrenNamed, type Node, parseXml } from "./xml_tree.ts";

/** A rule that a place does not follow. */
interface Finding {
  rule: string;
  tag: string;
  excerpt?: string;
}

/** Rules that every rendered feed follows; the tests check them for hostile rows. */
export const serviceRules: Rule[] = [...baseRules, ...namespaceRules, ...carriedRules];
export { podcasterRules };
export const rules: Rule[] = [...serviceRules, ...podcasterRules];

const MAX_FINDINGS = 20, MAX_FINDINGS_PER_RULE = 3, MAX_TEXT_CHARS = 200;

/** Findings of a channel, given a document of it without items. Bounded, as checkItem's are. */
export function checkChannel(xml: string, facts: PlaceFacts): Finding[] {
  return check(xml, "channel", facts, (channel) => channel);
}

/** Findings of an item, given a document that holds it alone. */
export function checkItem(xml: string, facts: PlaceFacts): Finding[] {
  return check(xml, "item", facts, (channel) => childrenNamed(channel, "item")[0]);
}

function check(xml: string, place: "channel" | "item", facts: PlaceFacts, find: (channel: Node) => Node): Finding[] {
  let node: Node;
  try {
    node = find(parseXml(xml).children[0]);
  } catch (error) {
    return [{ rule: "well-formed", tag: place, excerpt: bounded((error as Error).message) }];
  }
  return checkPlace(node, place, facts).slice(0, MAX_FINDINGS).map(({ rule, tag, excerpt }) => ({
    rule,
    tag: bounded(tag), // a carried tag may have a name of 65,000 characters
    ...excerpt && { excerpt: bounded(excerpt) },
  }));
}

/** Findings of a parsed channel or item. */
export function checkPlace(node: Node, place: "channel" | "item", facts: PlaceFacts, some = rules): Finding[] {
  const own = { ...node, children: node.children.slice(0, node.children.length - (facts.carriedTags ?? 0)) };
  return some.filter((rule) => rule.place === "any" || rule.place === place).flatMap((rule) =>
    rule.check(podcasterRules.includes(rule) ? own : node, facts).filter((found) => !!found).slice(
      0,
      MAX_FINDINGS_PER_RULE,
    )
      .map((found) => ({ rule: rule.id, ...found }))
  );
}

/** Slices first: an excerpt of show notes may have megabytes. */
const bounded = (text: string) => truncate(text.slice(0, 3 * MAX_TEXT_CHARS).toWellFormed(), MAX_TEXT_CHARS);
