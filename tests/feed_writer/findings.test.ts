// A rendering stores the findings of each part, so that the report describes the served feed at every moment.
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import type postgres from "postgres";
import { checkPlace, rules } from "../../functions/feed_report/check.ts";
import { childrenNamed, parseXml } from "./fixture.ts";
import { createRenderings } from "./rendering.ts";

interface Finding {
  rule: string;
  place: { episodeTitle?: string };
}

/** The report that the owner reads, as `rule` or `rule of episode`, and when the feed was checked. */
async function readReport(sql: postgres.Sql, podcastId: string) {
  return await sql.begin(async (tx) => {
    await tx`
      select set_config('request.jwt.claims', json_build_object('sub', owner_id, 'role', 'authenticated')::text, true)
      from public.podcasts where id = ${podcastId}`;
    const [{ report }] = await tx`select public.get_feed_report(${podcastId}, 500) as report`;
    return {
      checkedAt: report.data.checkedAt as string,
      found: report.data.findings.map(({ rule, place: { episodeTitle } }: Finding) =>
        episodeTitle ? `${rule} of ${episodeTitle}` : rule
      ) as string[],
    };
  });
}

Deno.test({ name: "findings of renderings", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using feeds = await createRenderings();
  const { sql, renderFeed, stored, rendered, items, show } = feeds;
  const found = async (id: string) => (await readReport(sql, id)).found;
  const setTitle = (id: string, slug: string, title: string) =>
    sql`update public.episodes set title = ${title} where podcast_id = ${id} and slug = ${slug}`;

  await t.step("the report has exactly the findings of the served document", async () => {
    const id = await show(3);
    await sql`update public.episodes set audio_url = 'nowhere' where podcast_id = ${id} and slug = 'paris-1'`;
    await renderFeed(id);
    const channel = parseXml(gunzipSync((await stored(id)).gzip).toString()).children[0];
    const expected = [
      ...checkPlace(channel, "channel", { hasOwnerEmail: false, episodeCount: 3 }).map(({ rule }) => rule),
      ...childrenNamed(channel, "item").flatMap((item) =>
        checkPlace(item, "item", { podcastType: "episodic" }).map(({ rule }) =>
          `${rule} of ${childrenNamed(item, "title")[0].text}`
        )
      ),
    ];
    assert.ok(expected.includes("item-enclosure of Paris 1") && expected.includes("item-transcript of Paris 2"));
    assert.deepEqual((await found(id)).sort(), expected.sort());
  });

  await t.step("a change appears in the report with its rendering, and its correction too", async () => {
    const id = await show(2);
    await renderFeed(id);
    const before = await found(id);
    await setTitle(id, "paris-1", "Episode 1: Paris");
    const unrendered = (one: string) => one.replace("of Paris 1", "of Episode 1: Paris");
    assert.deepEqual(await found(id), before.map(unrendered));
    await renderFeed(id);
    assert.deepEqual((await found(id)).filter((one) => !before.map(unrendered).includes(one)), [
      "title-numbers of Episode 1: Paris",
    ]);
    await setTitle(id, "paris-1", "Paris 1");
    await renderFeed(id);
    assert.deepEqual(await found(id), before);
  });

  await t.step("a rendering that fails before its document leaves the report of the served feed", async () => {
    const id = await show(1);
    await renderFeed(id);
    const before = await found(id);
    await sql.unsafe(`
      create function public.reject_document() returns trigger language plpgsql as $$
      begin raise 'the disk is full'; end $$;
      create trigger reject_document before update on private.feed_documents
        for each row execute function public.reject_document()`).simple();
    await sql`update public.podcasts set copyright = '© Ana' where id = ${id}`;
    await sql`update public.episodes set audio_url = 'nowhere' where podcast_id = ${id}`;
    await assert.rejects(renderFeed(id), /the disk is full/);
    const [{ count }] = await sql`select count(*)::int from private.feed_items where podcast_id = ${id}`;
    assert.equal(count, 2);
    assert.deepEqual(await found(id), before);
    await sql.unsafe("drop function public.reject_document cascade");
    await renderFeed(id);
    const after = await found(id);
    assert.ok(after.includes("item-enclosure of Paris 0") && after.includes("copyright-name"));
  });

  await t.step("another type of the podcast checks all items again and keeps those that are the same", async () => {
    const id = await show(2);
    await renderFeed(id);
    const before = await items(id);
    await sql`update public.podcasts set type = 'serial' where id = ${id}`;
    await renderFeed(id);
    assert.deepEqual(await items(id), before);
    assert.deepEqual((await found(id)).filter((one) => one.startsWith("serial-numbers")), [
      "serial-numbers of Paris 0",
      "serial-numbers of Paris 1",
    ]);
  });

  await t.step("a carried tag with an http URL, which clients cannot edit, leaves the report as it was", async () => {
    const id = await show(1);
    await renderFeed(id);
    const before = await found(id);
    const carried = JSON.stringify(['<podcast:new url="http://old.example/"/>', "<unclosed"]);
    await sql`update public.podcasts set extra_tags = ${carried}::text::jsonb where id = ${id}`;
    await sql`update public.episodes set extra_tags = ${carried}::text::jsonb where podcast_id = ${id}`;
    await renderFeed(id);
    assert.equal(gunzipSync((await stored(id)).gzip).toString().split("<podcast:new ").length, 3);
    assert.deepEqual(await found(id), before);
  });

  await t.step(
    "artwork at another host is reported where it belongs, and not by each episode that shows it",
    async () => {
      const id = await show(2),
        elsewhere = async () => (await found(id)).filter((one) => one.startsWith("artwork-else"));
      await sql`update public.podcasts set cover_image_url = 'https://art.example/1.jpg' where id = ${id}`;
      await renderFeed(id);
      assert.deepEqual(await elsewhere(), ["artwork-elsewhere"]);
      await sql`update public.episodes set cover_image_url = 'https://art.example/2.jpg'
      where podcast_id = ${id} and slug = 'paris-1'`;
      await renderFeed(id);
      assert.deepEqual(await elsewhere(), ["artwork-elsewhere", "artwork-elsewhere of Paris 1"]);
    },
  );

  await t.step("a carried tag with the longest name stops no rendering", async () => {
    const id = await show(1);
    const carried = JSON.stringify([`<${"a".repeat(65_500)}/>`]);
    await sql`update public.podcasts set extra_tags = ${carried}::text::jsonb where id = ${id}`;
    await sql`update public.episodes set extra_tags = ${carried}::text::jsonb where podcast_id = ${id}`;
    await renderFeed(id);
    assert.deepEqual((await found(id)).filter((one) => one.startsWith("blank")), ["blank", "blank of Paris 0"]);
  });

  await t.step("an owner's address that the feed hides changes the report and not the feed", async () => {
    const id = await show(1);
    const { etag } = await rendered(id), before = await readReport(sql, id);
    assert.ok(before.found.includes("owner-missing"));
    await sql`update public.podcasts set owner_email = 'ana@example.com' where id = ${id}`;
    assert.equal((await rendered(id)).etag, etag);
    const after = await readReport(sql, id);
    assert.deepEqual(after.found, before.found.filter((rule) => rule !== "owner-missing"));
    assert.ok(after.checkedAt > before.checkedAt);
  });

  await t.step("a rule that throws leaves the feed served, without findings", async () => {
    const id = await show(1);
    rules.push({
      id: "defective",
      place: "any",
      check: () => {
        throw new Error("a defective rule");
      },
    });
    try {
      assert.deepEqual((await rendered(id)).titles, ["Paris 0"]);
      assert.deepEqual(await found(id), []);
    } finally {
      rules.pop();
    }
  });
});
