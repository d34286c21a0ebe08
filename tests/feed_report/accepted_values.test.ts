// With any feed values that the database accepts, the feed follows the rules of the service.
import assert from "node:assert/strict";
import { wellFormedTags } from "../../functions/feed_writer/extra_tags.ts";
import { renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { connectTo } from "../database.ts";
import { violations } from "../feed_writer/conformance.ts";
import { episode, podcast } from "../feed_writer/fixture.ts";
import { drawFeedValue, feedColumns } from "../feed_writer/shape_values.ts";
import { createProjectDatabase } from "../project_cluster.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

Deno.test(
  { name: "feed values that the database accepts", sanitizeOps: false, sanitizeResources: false },
  async (t) => {
    await using database = await createProjectDatabase();
    const sql = connectTo(database.url, 1);
    const count = byScale(60, 5000);
    const show = podcast(), item = episode();
    try {
      for (const place of ["podcast", "episode"] as const) {
        for (const column of feedColumns[place]) {
          await t.step(`${column} of ${place}s gives tags that follow every rule`, async () => {
            const random = seededRandom(column.length);
            const drawn = Array.from({ length: count }, () => drawFeedValue(random, column));
            const accepted = await sql<{ value: unknown }[]>`
            select case column_name when 'extra_tags' then e.value else private.fold_texts(e.value) end as value
            from (select ${column}::text as column_name) c,
              jsonb_array_elements(${JSON.stringify(drawn)}::text::jsonb) e
            where private.feed_value_error(column_name, e.value) is null`;
            assert.ok(accepted.length >= count / 5, `only ${accepted.length} of ${count} values are accepted`);
            for (const { value } of accepted) {
              const row = { [column]: column === "extra_tags" ? await wellFormedTags(value as string[]) : value };
              const head = renderHead({ ...place === "podcast" ? { ...show, ...row } : show, changed_at: new Date(0) });
              const items = renderItem(place === "episode" ? { ...item, ...row } : item, show);
              // only the import checks what it carries
              const found = violations(head + items + TAIL).filter((one) => !one.startsWith("carried-"));
              assert.deepEqual(found, [], JSON.stringify(value));
            }
          });
        }
      }
    } finally {
      await sql.end({ timeout: 1 });
    }
  },
);
