/** /api/health: whether this process answers, and whether it can work. */
import { openRouter } from "../app/app.ts";
import { anyone } from "../database/db.ts";
import { Refusal } from "../app/errors.ts";
import { flat } from "../app/reply.ts";

const PATIENCE_MS = 3000; // a probe that hangs is worse than one that says no

export const health = openRouter()
  .use(async (c, next) => {
    await next();
    c.res.headers.set("cache-control", "no-store"); // a probe asks about now
  })
  .get(
    "/",
    () => flat({ status: 200, text: JSON.stringify({ status: "ok", timestamp: new Date().toISOString() }) }),
  )
  .get("/ready", async () => flat(await within(PATIENCE_MS, anyone.call("health_check"))));

async function within<T>(ms: number, asked: Promise<T>): Promise<T> {
  let timer = 0;
  const tooLong = new Promise<never>((_, reject) => timer = setTimeout(() => reject(new Error("no answer")), ms));
  try {
    return await Promise.race([asked, tooLong]);
  } catch (cause) {
    throw new Refusal(503, "Not ready", { details: "The database does not answer", cause });
  } finally {
    clearTimeout(timer);
  }
}
