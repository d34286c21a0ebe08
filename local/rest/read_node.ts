// The nodes of a read plan: the requested table and its embedded tables, each with its fields, conditions and order.
import type { Relationship } from "./catalog.ts";
import type { Condition } from "./query/filter.ts";
import type { OrderTerm } from "./query/order.ts";
import type { SelectedField } from "./query/select.ts";
import type { Name } from "./sql.ts";

/** A condition with resolved embedded tables: `podcasts=is.null` tests the row itself. */
export type PlannedCondition =
  | Condition
  | { kind: "embedded"; embed: Embed; isNegated: boolean }
  | { kind: "planned"; operator: "and" | "or"; isNegated: boolean; conditions: PlannedCondition[] };

export interface PlannedOrder extends Omit<OrderTerm, "relation"> {
  /** The embedded table of the column. */
  embed?: Embed;
}

export interface ReadNode {
  table: Name;
  /** The alias of its rows. */
  rows: Name;
  /** Whether rows are the result of a write or call. */
  isFromSource: boolean;
  fields: SelectedField[];
  embeds: Embed[];
  conditions: PlannedCondition[];
  order: PlannedOrder[];
  limit?: number;
  offset: number;
}

export interface Embed extends ReadNode {
  relationship: Relationship;
  /** The alias of the parent's rows. */
  parent: Name;
  /** The key in the response. */
  key: string;
  requestedName: string;
  /** The alias of the join. */
  result: string;
  isInner: boolean;
  isSpread: boolean;
}
