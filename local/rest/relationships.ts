// The tables that can be embedded into a table, by PostgREST's rules.
import { RequestError } from "./errors.ts";
import { closestMatch } from "./closest.ts";
import type { Name } from "./sql.ts";
import type { ComputedRelationship, ForeignKey, Keys, Pairs, Relationship } from "./catalog.ts";

const isSame = (a: Name, b: Name) => a.name === b.name && a.schema === b.schema;
const swap = (pairs: Pairs): Pairs => pairs.map(([own, other]) => [other, own]);

/** The relationships of exposed schemas, in the order of PostgREST's messages. */
export function relationshipsOf(
  keys: Keys,
  computed: ComputedRelationship[],
  schemas: string[],
): Relationship[] {
  const isExposed = ({ schema }: Name) => schemas.includes(schema);
  const detected = [...keys.foreignKeys.flatMap(alongKey), ...throughJunctions(keys)]
    .filter(({ table, foreign }) => isExposed(table) && isExposed(foreign))
    .map((relationship) => ({
      ...relationship,
      isHidden: !isExposed(relationship.junction?.table ?? relationship.table),
    }))
    .map((relationship) => ({ relationship, rank: rankOf(relationship) }))
    .sort((a, b) => a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0)
    .map(({ relationship }) => relationship);
  const isOverridden = ({ table, foreign }: Relationship) =>
    computed.some((c) => isSame(c.table, table) && isSame(c.function, foreign));
  return [
    ...detected.filter((relationship) => !isOverridden(relationship)),
    ...computed.map((c): Relationship => ({
      kind: "computed",
      constraint: "",
      columns: [],
      isForeignView: false,
      ...c,
    })),
  ];
}

/** NUL sorts before every letter of a name. */
function rankOf({ table, foreign, kind, constraint, columns, junction }: Relationship): string {
  const place = ["one-to-many", "many-to-one", "one-to-one", "many-to-many"].indexOf(kind);
  const { table: through, toTable, toForeign } = junction ?? {};
  const names = through ? [through.schema, through.name, toTable!.constraint, toForeign!.constraint] : [constraint];
  const own = [table.schema, table.name], other = [foreign.schema, foreign.name];
  return [...other, Number(isSame(table, foreign)), place, ...names, ...columns.flat(), ...own].join("\0");
}

/** Both directions of a foreign key. */
function alongKey(key: ForeignKey): Relationship[] {
  const { name: constraint, table, foreign, columns, isUnique, isForeignView } = key;
  return [
    {
      kind: isUnique ? "one-to-one" : "many-to-one",
      isToOne: true,
      table,
      foreign,
      constraint,
      columns,
      isForeignView,
    },
    {
      kind: isUnique ? "one-to-one" : "one-to-many",
      isToOne: isUnique,
      table: foreign,
      foreign: table,
      constraint,
      columns: swap(columns),
      isForeignView: key.isView,
    },
  ];
}

/** A junction has two foreign keys inside its primary key, neither of which is unique by itself. */
function throughJunctions({ foreignKeys, primaryKeyOf }: Keys): Relationship[] {
  const many = foreignKeys.filter((key) => !key.isUnique);
  return many.flatMap((one) => {
    const primaryKey = primaryKeyOf(one.table);
    return many
      .filter((other) => isSame(other.table, one.table) && other.name !== one.name)
      .filter((other) => [...one.columns, ...other.columns].every(([own]) => primaryKey.includes(own)))
      .map((other): Relationship => ({
        kind: "many-to-many",
        isToOne: false,
        table: one.foreign,
        foreign: other.foreign,
        constraint: "",
        columns: [],
        isForeignView: other.isForeignView,
        junction: {
          table: one.table,
          toTable: { constraint: one.name, columns: one.columns },
          toForeign: { constraint: other.name, columns: other.columns },
        },
      }));
  });
}

/** Finds the relationship of `target` and the hint for the table `origin`. Throws if it is ambiguous. */
export function findRelationship(all: Relationship[], origin: Name, target: string, hint?: string): Relationship {
  const known = all.filter(({ table, foreign }) => isSame(table, origin) && foreign.schema === origin.schema);
  const candidates = known.filter(({ isHidden }) => !isHidden);
  const found = candidates.filter((candidate) => isMeant(candidate, target, hint));
  if (found.length === 1) return found[0];
  if (found.length) throw ambiguous(origin.name, target, found);
  throw unknown(origin, target, hint, known.length ? hintForTarget(candidates, target) : hintForOrigin(all, origin));
}

function isMeant(relationship: Relationship, target: string, hint?: string): boolean {
  const { kind, table, foreign, constraint, columns, isForeignView, junction } = relationship;
  if (relationship.function) return target === relationship.function.name;
  const [own, other] = columns.length === 1 ? columns[0] : [];
  if (isSame(table, foreign)) {
    // A key has two directions: the table's name selects the many, the column's name the one.
    if (hint !== undefined) return target === foreign.name && kind === "one-to-many" && hint === other;
    return kind === "one-to-many" ? target === foreign.name : kind === "many-to-one" && target === own;
  }
  if (hint === undefined) {
    if (target === foreign.name) return true;
    return !isForeignView && (target === own || constraint !== "" && target === constraint);
  }
  const names = [constraint, own, other, junction?.table.name];
  return target === foreign.name && hint !== "" && names.includes(hint);
}

function ambiguous(origin: string, target: string, found: Relationship[]): RequestError {
  const hints = found.map(({ foreign, constraint, junction }) =>
    `'${foreign.name}!${junction?.table.name ?? constraint}'`
  );
  return new RequestError(300, {
    code: "PGRST201",
    message: `Could not embed because more than one relationship was found for '${origin}' and '${target}'`,
    details: found.map(describe),
    hint: `Try changing '${target}' to one of the following: ${hints.join(", ")}. ` +
      `Find the desired relationship in the 'details' key.`,
  });
}

function describe({ kind, table, foreign, constraint, columns, junction }: Relationship) {
  const side = (pairs: Pairs, i: 0 | 1) => `(${pairs.map((pair) => pair[i]).join(", ")})`;
  const { toTable, toForeign } = junction ?? {};
  return {
    embedding: `${table.name} with ${foreign.name}`,
    cardinality: kind,
    relationship: toTable && toForeign
      ? `${junction!.table.name} using ${toTable.constraint}${side(toTable.columns, 0)} and ` +
        `${toForeign.constraint}${side(toForeign.columns, 0)}`
      : `${constraint} using ${table.name}${side(columns, 0)} and ${foreign.name}${side(columns, 1)}`,
  };
}

function unknown(origin: Name, target: string, embedHint: string | undefined, hint: string | null) {
  return new RequestError(400, {
    code: "PGRST200",
    message: `Could not find a relationship between '${origin.name}' and '${target}' in the schema cache`,
    details: `Searched for a foreign key relationship between '${origin.name}' and '${target}'` +
      `${
        embedHint === undefined ? "" : ` using the hint '${embedHint}'`
      } in the schema '${origin.schema}', but no matches were found.`,
    hint,
  });
}

/** A known target has a wrong hint. */
function hintForTarget(candidates: Relationship[], target: string): string | null {
  const near = closestMatch(target, candidates.map(({ foreign }) => foreign.name), 0.33);
  return near && near.score < 1 ? `Perhaps you meant '${near.name}' instead of '${target}'.` : null;
}

function hintForOrigin(all: Relationship[], { schema, name }: Name): string | null {
  const related = all.filter(({ foreign }) => foreign.schema === schema);
  const near = closestMatch(name, related.map(({ table }) => table.name), 0.33);
  return near ? `Perhaps you meant '${near.name}' instead of '${name}'.` : null;
}
