/** Decodes the output of Postgres' plugin `pgoutput` (protocol version 1, values as text). */
import { Buffer } from "node:buffer";

interface Column {
  name: string;
  type: number;
  /** Part of the replica identity: by default the primary key. */
  key: boolean;
}

/** The values of a row by column. An unchanged large value is absent from an update. */
export type Row = Map<string, string | null>;

export interface Change {
  relation: number;
  schema: string;
  table: string;
  columns: Column[];
  type: "INSERT" | "UPDATE" | "DELETE";
  /** The new row; null for a DELETE. */
  row: Row | null;
  /** The replica identity of the old row, if the log has it. */
  old: Row | null;
  committed: Date;
  /** The position of the commit in the log. */
  lsn: bigint;
}

type Relation = Pick<Change, "relation" | "schema" | "table" | "columns">;

/** Decodes the changes of messages that start with the start of a transaction. */
export function decodeChanges(messages: Buffer[]): Change[] {
  const relations = new Map<number, Relation>();
  const changes: Change[] = [];
  let transaction = { lsn: 0n, committed: new Date(0) };
  for (const message of messages) {
    const read = reader(message);
    switch (read.letter()) {
      case "B":
        transaction = { lsn: read.int64(), committed: new Date(Date.UTC(2000, 0, 1) + Number(read.int64() / 1000n)) };
        break;
      case "R": {
        const relation = readRelation(read);
        relations.set(relation.relation, relation);
        break;
      }
      case "I":
      case "U":
      case "D":
        changes.push({ ...readChange(message[0], read, relations), ...transaction });
        break;
    }
  }
  return changes;
}

function readRelation(read: Reader): Relation {
  const relation = read.int32();
  const schema = read.string() || "pg_catalog";
  const table = read.string();
  read.letter(); // the replica identity, which the columns have
  const columns = Array.from({ length: read.int16() }, () => {
    const key = read.int8() === 1;
    const column = { name: read.string(), type: read.int32(), key };
    read.int32(); // the type's modifier
    return column;
  });
  return { relation, schema, table, columns };
}

function readChange(letter: number, read: Reader, relations: Map<number, Relation>) {
  const relation = relations.get(read.int32());
  if (!relation) throw new Error("A change of an unknown relation");
  const type = ({ I: "INSERT", U: "UPDATE", D: "DELETE" } as const)[String.fromCharCode(letter) as "I" | "U" | "D"];
  let kind = read.letter();
  let old: Row | null = null;
  if (kind === "K" || kind === "O") {
    const all = readRow(read, relation.columns);
    old = new Map([...all].filter(([name]) => relation.columns.some((column) => column.key && column.name === name)));
    kind = type === "UPDATE" ? read.letter() : "";
  }
  return { ...relation, type, old, row: kind === "N" ? readRow(read, relation.columns) : null };
}

function readRow(read: Reader, columns: Column[]): Row {
  const row: Row = new Map();
  const count = read.int16();
  for (let i = 0; i < count; i++) {
    const kind = read.letter();
    if (kind === "n") row.set(columns[i].name, null);
    if (kind === "t") row.set(columns[i].name, read.text(read.int32()));
  }
  return row;
}

type Reader = ReturnType<typeof reader>;

function reader(message: Buffer) {
  let at = 0;
  return {
    letter: () => String.fromCharCode(message[at++]),
    int8: () => message[at++],
    int16: () => message.readUInt16BE((at += 2) - 2),
    int32: () => message.readUInt32BE((at += 4) - 4),
    int64: () => message.readBigInt64BE((at += 8) - 8),
    text: (length: number) => message.toString("utf8", at, at += length),
    string: () => {
      const end = message.indexOf(0, at);
      const text = message.toString("utf8", at, end);
      at = end + 1;
      return text;
    },
  };
}
