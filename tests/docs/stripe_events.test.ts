// docs/operating.md tells operators to subscribe the webhook to the events that record_stripe_event takes.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { readFile } from "node:fs/promises";

Deno.test("operating.md names the events that record_stripe_event takes", async () => {
  const page = await readFile("docs/operating.md", "utf8");
  const sql = await readFile("sql/27_billing/jobs/record_stripe_event.sql", "utf8");
  const [, list] = /and the events (`[^:]+?)\. Set its signing secret/.exec(page)!;
  const named = [...list.matchAll(/`([a-z_.]+)`/g)].map(([, name]) => name.replace(/^\./, "customer.subscription."));
  const [, taken] = /!~\s+'\^\((.+)\)\$'/.exec(sql)!;
  const patterns = taken.split("|").map((pattern) => new RegExp(`^${pattern}$`));
  ok(named.length > 1 && patterns.length > 1, taken);
  deepEqual(named.filter((name) => !patterns.some((pattern) => pattern.test(name))), []);
  deepEqual(patterns.filter((pattern) => !named.some((name) => pattern.test(name))), []);
});
