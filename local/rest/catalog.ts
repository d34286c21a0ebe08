// What the service knows of the database. Only types, and the search for a table.
import type { MediaHandler } from "./media_handlers.ts";
import type { Name } from "./sql.ts";

export interface Column {
  type: string;
  /** Whether it is a tsvector, or a domain of one. */
  isSearchVector: boolean;
  /** The default expression. */
  default: string | null;
}

export interface Table extends Name {
  columns: Record<string, Column>;
  primaryKey: string[];
  /** A view may be so, too, by itself or by triggers. */
  isInsertable: boolean;
  isUpdatable: boolean;
  isDeletable: boolean;
}

export interface Argument {
  name: string;
  type: string;
  isRequired: boolean;
  isVariadic: boolean;
}

export interface Routine extends Name {
  args: Argument[];
  /** The columns of its result. */
  returnType: string;
  isSet: boolean;
  isComposite: boolean;
  isVoid: boolean;
  isVolatile: boolean;
  /** `create function … set statement_timeout`, which has effect only before the function's statement. */
  timeout: string | null;
}

export interface SchemaCache {
  tables: Table[];
  routines: Routine[];
  relationships: Relationship[];
  mediaHandlers: MediaHandler[];
  representations: Representation[];
  /** `alter role … set`: the initial settings of a transaction with that role. */
  roleSettings: Map<string, [name: string, value: string][]>;
}

export const findTable = ({ tables }: SchemaCache, { schema, name }: Name): Table | undefined =>
  tables.find((table) => table.name === name && table.schema === schema);

/** A foreign key of a table, or of a view that shows the columns of one. */
export interface ForeignKey {
  name: string;
  table: Name;
  foreign: Name;
  columns: [own: string, foreign: string][];
  /** The columns are the primary key or a unique constraint. */
  isUnique: boolean;
  /** Of the tables themselves, from which views take their columns. */
  tableId: number;
  foreignId: number;
  columnNumbers: [own: number, foreign: number][];
  isView: boolean;
  isForeignView: boolean;
}

/** A function of one row that returns rows of a table. */
export interface ComputedRelationship {
  function: Name;
  table: Name;
  foreign: Name;
  isToOne: boolean;
}

/** The keys of tables and views. */
export interface Keys {
  foreignKeys: ForeignKey[];
  /** Returns [] for a table without a key. */
  primaryKeyOf(table: Name): string[];
}

/** Pairs of equal columns of both tables. */
export type Pairs = [own: string, other: string][];

interface Junction {
  table: Name;
  toTable: { constraint: string; columns: Pairs };
  toForeign: { constraint: string; columns: Pairs };
}

export interface Relationship {
  kind: "one-to-many" | "many-to-one" | "one-to-one" | "many-to-many" | "computed";
  table: Name;
  foreign: Name;
  isToOne: boolean;
  /** "" for many-to-many and computed relationships. */
  constraint: string;
  columns: Pairs;
  /** A view has no constraint or column that names it. */
  isForeignView: boolean;
  junction?: Junction;
  /** Whether the junction is not exposed: the relationship cannot be embedded, but its table is known. */
  isHidden?: boolean;
  function?: Name;
}

/** An implicit cast between a domain and json or text. */
export interface Representation {
  source: string;
  target: string;
  /** The quoted name of its function. */
  function: string;
}
