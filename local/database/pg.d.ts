// The part of `pg` that the stack uses. The package has no types.
declare const pg: {
  Pool: new (options: { connectionString: string; max: number; idleTimeoutMillis?: number }) => Pool;
  types: { getTypeParser(oid: number): (text: string) => unknown };
};
interface Query {
  text: string;
  values?: (string | null)[];
  types?: { getTypeParser(oid: number): (text: string) => unknown };
}
interface Client {
  query(query: string | Query): Promise<{ rows: unknown[] }>;
  on(event: "error", listener: (error: Error) => void): void;
  off(event: "error", listener: (error: Error) => void): void;
  /** Returns the connection to the pool; an error closes it instead. */
  release(error?: Error): void;
}
interface Pool {
  connect(): Promise<Client>;
  on(event: "error", listener: (error: Error) => void): void;
  on(event: "connect", listener: (client: Client) => void): void;
  end(): Promise<void>;
}
export default pg;
