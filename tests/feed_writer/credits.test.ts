// Credits on a real database: a change re-renders the item of its episode, and no other.
import assert from "node:assert/strict";
import { callParameters, callStatement } from "../../functions/database/operations.ts";
import { TAXONOMY } from "../../functions/feed_writer/taxonomy.ts";
import { waitFor } from "../wait_for.ts";
import { childrenNamed } from "./fixture.ts";
import { createRenderings, itemCredits } from "./rendering.ts";

Deno.test({ name: "credits in a feed", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using feeds = await createRenderings();
  const { sql, rendered, items, show, credit } = feeds;

  await t.step("every credit role has an entry in the taxonomy", async () => {
    const [{ labels }] = await sql`select to_json(enum_range(null::public.credit_role_label)) as labels`;
    assert.deepEqual(Object.keys(TAXONOMY).sort(), labels.toSorted());
  });

  await t.step("a new credit appears in its item, and no other item is re-rendered", async () => {
    const id = await show(3);
    const before = await (await rendered(id), items(id));
    await credit(id, "paris-1", [["Ana", "Host"], ["Bo", "Guest"]]);
    const { channel } = await rendered(id);
    assert.deepEqual(childrenNamed(channel, "item").map(itemCredits), [[], ["Host: Ana", "Guest: Bo"], []]);
    const after = await items(id);
    assert.deepEqual([after["Paris 0"], after["Paris 2"]], [before["Paris 0"], before["Paris 2"]]);
    assert.notEqual(after["Paris 1"], before["Paris 1"]);
  });

  await t.step("reordered, changed and deleted credits appear in the next document", async () => {
    const id = await show(1);
    await credit(id, "paris-0", [["Ana", "Host"], ["Bo", "Guest"], ["Cy", "Editor"]]);
    const now = async () => itemCredits(childrenNamed((await rendered(id)).channel, "item")[0]);
    assert.deepEqual(await now(), ["Host: Ana", "Guest: Bo", "Audio Editor: Cy"]);
    await sql`update public.episode_credits set display_order = 2 - display_order where podcast_id = ${id}`;
    assert.deepEqual(await now(), ["Audio Editor: Cy", "Guest: Bo", "Host: Ana"]);
    await sql`update public.episode_credits set role_label = 'Co-host', name = 'Bobo' where podcast_id = ${id} and name = 'Bo'`;
    assert.deepEqual(await now(), ["Audio Editor: Cy", "Co-Host: Bobo", "Host: Ana"]);
    await sql`delete from public.episode_credits where podcast_id = ${id} and name = 'Cy'`;
    assert.deepEqual(await now(), ["Co-Host: Bobo", "Host: Ana"]);
  });

  await t.step("a credit written during publication appears in the next document", async () => {
    const id = await show(1);
    await sql`update public.episodes set status = 'draft' where podcast_id = ${id}`;
    const [{ owner, episodeId }] = await sql`
      select p.owner_id as owner, e.id as "episodeId" from public.podcasts p join public.episodes e on e.podcast_id = p.id
      where p.id = ${id}`;
    const person = { episodeId, sourceType: "external", name: "Ana", roleLabel: "Host" };
    let published: Promise<unknown> | undefined, isPublished = false;
    await sql.begin(async (writing) => {
      const claims = JSON.stringify({ role: "authenticated", sub: owner });
      await writing.unsafe(callStatement("add_episode_person"), callParameters(claims, person));
      published = sql`update public.episodes set status = 'published' where podcast_id = ${id}`.then(() => rendered(id))
        .finally(() => isPublished = true);
      await waitFor("the publication, or its wait for the credit", async () => {
        return isPublished ||
          (await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
              .length > 0;
      });
    });
    await published;
    assert.deepEqual(itemCredits(childrenNamed((await rendered(id)).channel, "item")[0]), ["Host: Ana"]);
  });
});
