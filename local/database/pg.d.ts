// The part of `pg` that the planner's connections need; the package has no types of its own.
declare const pg: { Pool: new (options: { connectionString: string; max: number }) => Pool };
interface Pool {
  end(): Promise<void>;
}
export default pg;
