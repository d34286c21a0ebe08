/** Rules for tags that an import carried: what RSS and its modules allow (feed_elements). */
import { type Children, type ElementRule, FREE } from "../feed_elements/element_rule.ts";
import { PLACES } from "../feed_elements/elements.ts";
import { isUriReference } from "../feed_elements/value_formats.ts";
import { isUnchecked, nameInModule } from "../feed_elements/modules.ts";
import { checkAttribute, ruleOf } from "../feed_elements/find_rule.ts";
import { anyRule, type Problem, problem, type Rule } from "./rule.ts";
import type { Node } from "./xml_tree.ts";

/** Tags that have rules of their own, and RSS's further ones, which an import never carries. */
const OURS = {
  channel: new Set(
    ("title link description language copyright generator pubDate lastBuildDate category image cloud docs ttl " +
      "skipDays skipHours item itunes:applepodcastsverify itunes:author itunes:block itunes:category itunes:complete " +
      "itunes:explicit itunes:image itunes:keywords itunes:new-feed-url itunes:owner itunes:type").split(" "),
  ),
  item: new Set(
    ("title link description guid pubDate enclosure category content:encoded itunes:block itunes:duration " +
      "itunes:episode itunes:episodeType itunes:explicit itunes:image itunes:keywords itunes:season itunes:summary " +
      "itunes:title").split(" "),
  ),
};

interface Faults {
  unknown: Node[];
  unchecked: Node[];
  invalid: Node[];
  repeated: Node[];
}

/** Without recursion, because a carried tag may be nested thousands of times. */
function listFaults(place: Node): Faults {
  const kind = place.name === "item" ? "item" : "channel";
  const faults: Faults = { unknown: [], unchecked: [], invalid: [], repeated: [] };
  const seen = new Set<string>();
  const open: [node: Node, top: Node, parent: Children | undefined][] = [];
  for (const child of place.children) {
    const name = nameInModule(child.namespace, child.local);
    if (name !== undefined && OURS[kind].has(name)) continue;
    open.push([child, child, PLACES[kind]]);
    const rule = ruleOf(PLACES[kind], child.namespace, child.local);
    if (rule?.isSingle && seen.has(name!)) faults.repeated.push(child);
    if (name !== undefined) seen.add(name);
  }
  for (const [node, top, parent] of open) {
    const rule = ruleOf(parent, node.namespace, node.local);
    if (!rule) faults[isUnchecked(node.namespace) ? "unchecked" : "unknown"].push(top);
    if (!rule || isInvalid(node, rule)) {
      if (rule) faults.invalid.push(top);
      continue;
    }
    for (const child of node.children) open.push([child, top, rule.children]);
  }
  return faults;
}

function isInvalid({ namespace, names, text, children }: Node, rule: ElementRule): boolean {
  const attribute = (name: string) => names.find(({ namespace, local }) => !namespace && local === name)?.value;
  if (!isUriReference(namespace)) return true;
  if (names.some((name) => checkAttribute(rule, name, name.value, attribute).value === undefined)) return true;
  if (rule === FREE) return false;
  if (rule.text ? rule.text(text, attribute) === undefined : text.trim() !== "") return true;
  const found = children.map((child) => nameInModule(child.namespace, child.local) ?? "");
  if (found.some((name, n) => found.indexOf(name) < n && isSingle(rule, children[n]))) return true;
  return !!rule.required?.some((name) =>
    name.startsWith("@") ? attribute(name.slice(1)) === undefined : !found.includes(name)
  );
}

const isSingle = ({ children }: ElementRule, { namespace, local }: Node) =>
  ruleOf(children, namespace, local)?.isSingle ?? false;

const faultRule = (id: string, fault: keyof Faults): Rule =>
  anyRule(id, (place): Problem[] => listFaults(place)[fault].map(problem));

export const carriedRules: Rule[] = [
  faultRule("carried-name", "unknown"),
  faultRule("carried-value", "invalid"),
  faultRule("carried-single", "repeated"),
  faultRule("carried-unchecked", "unchecked"),
];
