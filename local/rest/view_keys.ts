// The keys of views: a view has the keys of a table whose columns it shows. PostgreSQL notes in the definition of a view
// the table and column behind each of its columns.
import type { Name } from "./sql.ts";
import type { ForeignKey, Keys } from "./catalog.ts";

export interface View extends Name {
  id: number;
  /** The definition, as PostgreSQL stores it. */
  tree: string;
  /** The names of its columns by number. */
  columns: Record<number, string>;
}

export interface PrimaryKey {
  table: Name;
  tableId: number;
  columns: string[];
  columnNumbers: number[];
}

/** A column of a view, and the column of a table or of another view that it shows. */
interface Origin {
  number: number;
  tableId: number;
  tableNumber: number;
}

interface TracedView {
  view: View;
  /** The columns of the view that show a column of a table. */
  columnsOf: (tableId: number, number: number) => string[];
}

export function withViews(tableKeys: ForeignKey[], primaryKeys: PrimaryKey[], views: View[]): Keys {
  const traced = traceViews(views);
  const foreignKeys = [...tableKeys, ...tableKeys.flatMap((key) => keysOfViews(key, traced))];
  const byName = new Map(primaryKeys.map(({ table, columns }) => [keyOfName(table), columns]));
  for (const known of traced) {
    byName.set(keyOfName(known.view), primaryKeys.flatMap((key) => shownPrimaryKey(key, known)).sort());
  }
  return { foreignKeys, primaryKeyOf: (table) => byName.get(keyOfName(table)) ?? [] };
}

const keyOfName = ({ schema, name }: Name) => JSON.stringify([schema, name]);

/** One of the view's columns per column of the key; [] unless the view shows all of them. */
function shownPrimaryKey({ tableId, columnNumbers }: PrimaryKey, { columnsOf }: TracedView): string[] {
  const columns = columnNumbers.map((number) => columnsOf(tableId, number)[0]);
  return columns.every((column) => column !== undefined) ? columns : [];
}

/** From views to the foreign table, from the table to views, and between views. */
function keysOfViews(key: ForeignKey, traced: TracedView[]): ForeignKey[] {
  const shown = (tableId: number, side: 0 | 1) =>
    traced.flatMap(({ view: { schema, name }, columnsOf }) =>
      combinations(key.columnNumbers.map((pair) => columnsOf(tableId, pair[side])))
        .map((columns) => ({ table: { schema, name }, columns }))
    );
  const own = { table: key.table, columns: key.columns.map(([column]) => column) };
  const other = { table: key.foreign, columns: key.columns.map(([, column]) => column) };
  const views = shown(key.tableId, 0), foreignViews = shown(key.foreignId, 1);
  const pairs = [
    ...views.map((view) => ({ from: view, to: other })),
    ...[own, ...views].flatMap((from) => foreignViews.map((to) => ({ from, to }))),
  ];
  return pairs.map(({ from, to }) => ({
    ...key,
    table: from.table,
    foreign: to.table,
    columns: from.columns.map((column, i) => [column, to.columns[i]]),
    isView: from !== own,
    isForeignView: to !== other,
  }));
}

/** Each way to choose one of every list: a view may show a column twice. */
const combinations = (lists: string[][]): string[][] =>
  lists.reduce<string[][]>((chosen, list) => chosen.flatMap((some) => list.map((one) => [...some, one])), [[]]);

function traceViews(views: View[]): TracedView[] {
  const direct = new Map(views.map(({ id, tree }) => [id, originsIn(tree)]));
  const traced = new Map<number, Origin[]>();
  /** The origins, and those of the views among them. */
  const trace = (id: number): Origin[] => {
    const known = traced.get(id);
    if (known) return known;
    const origins = direct.get(id) ?? [];
    traced.set(id, origins);
    const deeper = origins.flatMap(({ number, tableId, tableNumber }) =>
      trace(tableId).filter((inner) => inner.number === tableNumber).map((inner) => ({ ...inner, number }))
    );
    traced.set(id, [...origins, ...deeper]);
    return traced.get(id)!;
  };
  return views.map((view) => {
    const columns = new Map<string, string[]>();
    for (const { number, tableId, tableNumber } of trace(view.id)) {
      const column = view.columns[number], key = `${tableId} ${tableNumber}`;
      if (column !== undefined) columns.set(key, [...columns.get(key) ?? [], column]);
    }
    return { view, columnsOf: (tableId, number) => columns.get(`${tableId} ${number}`) ?? [] };
  });
}

const tokenPattern = /\\.|[{}()]|:(targetList) |:(resno|resorigtbl|resorigcol) (\d+)/gs;

/** Reads the target list of the outermost query: `({QUERY … :targetList ({TARGETENTRY …} …) …})`. */
function originsIn(tree: string): Origin[] {
  const entries: Record<string, number>[] = [];
  let depth = 0, isInList = false;
  for (const [token, list, field, number] of tree.matchAll(tokenPattern)) {
    if (token === "{" || token === "(") {
      if (++depth === 4 && isInList) entries.push({});
    } else if (token === "}" || token === ")") {
      if (--depth === 2) isInList = false;
    } else if (list) isInList ||= depth === 2;
    else if (field && isInList && depth === 4) entries.at(-1)![field] = Number(number);
  }
  return entries.filter(({ resorigtbl }) => resorigtbl)
    .map(({ resno, resorigtbl, resorigcol }) => ({ number: resno, tableId: resorigtbl, tableNumber: resorigcol }));
}
