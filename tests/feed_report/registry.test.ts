// The rules, their texts in SQL and docs/feed-rules.md are one registry.
import assert from "node:assert/strict";
import { podcasterRules, rules, serviceRules } from "../../functions/feed_report/check.ts";
import { CATEGORIES } from "../../functions/feed_report/apple_categories.ts";
import { connectTo } from "../database.ts";
import { wholeFeedRules } from "../feed_writer/conformance.ts";
import { createProjectDatabase } from "../project_cluster.ts";

interface FeedRule {
  id: string;
  severity: string;
  message: string;
  action: string;
  spec_url: string;
}

Deno.test({ name: "the registry of feed rules", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using database = await createProjectDatabase();
  const sql = connectTo(database.url, 1);
  try {
    const described = await sql<
      FeedRule[]
    >`select id, severity::text, message, action, spec_url from private.feed_rules()`;
    const byId = new Map(described.map((rule) => [rule.id, rule]));

    await t.step("private.feed_rules() describes exactly the rules of functions/feed_report", () => {
      assert.equal(byId.size, described.length);
      assert.deepEqual(["well-formed", ...rules.map(({ id }) => id)].sort(), [...byId.keys()].sort());
    });

    await t.step("each rule has a message, an action and a specification", () => {
      for (const { id, message, action, spec_url } of described) {
        assert.match(message, /^[A-Z].{10,}[^.]$/, id);
        assert.match(action, /^[A-Z].{5,}[^.]$/, id);
        assert.match(spec_url, /^https:\/\/[\w./#-]+$/, id);
      }
    });

    await t.step("rules of podcasters are checked by severity, because findings of a part are bounded", () => {
      const ranks = podcasterRules.map(({ id }) => ["error", "warning", "advice"].indexOf(byId.get(id)!.severity));
      assert.deepEqual(ranks, ranks.toSorted());
    });

    await t.step("docs/feed-rules.md lists each rule with its severity and source, and no other", async () => {
      const text = await Deno.readTextFile(new URL("../../docs/feed-rules.md", import.meta.url));
      const listed = text.split(/^## /m).slice(1).map((section) =>
        [...section.matchAll(/^\| `([\w-]+)` +\| (\w+) +\|.*\(([^)]+)\) +\|$/gm)].map((row) =>
          row.slice(1, 4).join(" ")
        )
      );
      const ofSql = (ids: string[]) =>
        ids.map((id) => `${id} ${byId.get(id)!.severity} ${byId.get(id)!.spec_url}`).sort();
      assert.deepEqual(listed.map((rows) => rows.toSorted()), [
        ofSql(["well-formed", ...serviceRules.map(({ id }) => id)]),
        ofSql(podcasterRules.map(({ id }) => id)),
        wholeFeedRules.map(({ id, source }) => `${id} error ${source}`).sort(),
      ]);
    });

    await t.step("the categories of the checker are those of public.podcast_categories", async () => {
      const rows = await sql<{ path: string }[]>`
        select category || ' > ' || subcategory as path from public.podcast_categories`;
      const expected = [...CATEGORIES].flatMap(([category, subcategories]) =>
        ["", ...subcategories].map((subcategory) => `${category} > ${subcategory}`)
      );
      assert.deepEqual(rows.map(({ path }) => path).sort(), expected.sort());
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
});
