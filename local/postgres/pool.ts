/**
 * Pools of services that run transactions. If a connection closes within one, the driver writes the rollback to it
 * anyway, sends these bytes at the start of the next session, and never connects again. So each transaction has a driver
 * of its own with one connection, and a driver that lost it is not used again.
 */
import postgres from "./client.ts";

type Options = Omit<postgres.Options<Record<string, never>>, "max" | "onclose">;
type Work<T> = (sql: postgres.TransactionSql) => T | Promise<T>;

interface Driver {
  sql: postgres.Sql;
  isLost: boolean;
}

/** As postgres(), with at most `max` transactions at a time beside half as many connections of other statements. */
export function openPool(url: string, { max, ...options }: Options & { max: number }): postgres.Sql {
  const statements = postgres(url, { ...options, max: Math.ceil(max / 2) });
  const drivers = new Set<Driver>(), waiting: (() => void)[] = [];
  let idle: Driver[] = [], running = 0;

  function openDriver(): Driver {
    const driver: Driver = { sql: postgres(url, { ...options, max: 1, onclose: () => lose(driver) }), isLost: false };
    drivers.add(driver);
    return driver;
  }

  function lose(driver: Driver) {
    if (driver.isLost) return;
    driver.isLost = true;
    drivers.delete(driver);
    idle = idle.filter((other) => other !== driver);
    driver.sql.end({ timeout: 0 }).catch(() => {}); // rejects what the transaction still sends
  }

  async function begin<T>(work: Work<T>) {
    if (running === max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    const driver = idle.pop() ?? openDriver();
    try {
      return await driver.sql.begin(work);
    } finally {
      if (!driver.isLost) idle.push(driver);
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  const { end } = statements;
  return Object.assign(statements, {
    begin: begin as postgres.Sql["begin"],
    end: async (how?: { timeout?: number }) =>
      void await Promise.all([end(how), ...[...drivers].map((driver) => driver.sql.end(how))]),
  });
}
