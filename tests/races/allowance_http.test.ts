// The allowance through the running stack: usage equals what storage has, and rejected uploads leave no object.
import { deepStrictEqual as deepEqual } from "node:assert";
import {
  type ApiResponse,
  type Episode,
  episode,
  person,
  type Podcast,
  podcast,
  sql,
  waitFor,
} from "../http/harness.ts";
import { put } from "../http/api/audio.ts";
import { complete, filled, stagedOf } from "../http/api/direct_upload.ts";
import { type Format, picture, publicUrl, put as putImage } from "../http/api/images.ts";
import { byScale } from "../scale.ts";

const EACH = 300_000, ALLOWANCE = 1_073_741_824;

Deno.test("of twenty concurrent uploads at the limit ten succeed, usage equals storage, and the others leave no object", async () => {
  const owner = await person("brimful");
  const fullOf = (bytes: number) =>
    sql`
    insert into private.media_objects (path, account_id, usage, bytes, content_type)
    values (${`imports/${owner.id}/ballast.jpg`}, ${owner.id}, 'temporary', ${bytes}, 'image/jpeg')
    on conflict (path) do update set bytes = excluded.bytes`;

  let before: Podcast | undefined;
  for (let round = 0; round < byScale(2, 15); round++) {
    const show = await podcast(`Brimful ${round}`, "brimful");
    const episodes: Episode[] = [];
    for (let n = 0; n < 12; n++) episodes.push(await episode(show, `Number ${n}`));
    // enough free bytes to begin all uploads, which count in addition to those that earlier rounds left open
    await fullOf(1);
    await sql`delete from private.direct_uploads d using public.podcasts p where p.id = d.podcast_id and p.owner_id = ${owner.id}`;
    await sql`select private.sweep_staging()`;
    await waitFor(
      "nothing of an earlier round is staged",
      async () => !before || (await stagedOf(before)).length === 0,
    );
    before = show;
    const directs = await Promise.all(
      episodes.slice(0, 6).map((one) => filled(show, one, new Uint8Array(EACH).fill(round))),
    );
    const [{ used }] = await sql`
      select coalesce(sum(bytes), 0)::bigint as used from private.media_objects
      where account_id = ${owner.id} and released_at is null and usage <> 'temporary'`;
    await fullOf(ALLOWANCE - Number(used) - 10 * EACH - 1000); // ten fit, eleven do not

    const pictured = (place: Parameters<typeof putImage>[1], format: Format) =>
      putImage(show, place, {
        format,
        body: picture(typeof place === "string" ? place : "episode_cover", format, EACH),
      });
    const responses: ApiResponse[] = await Promise.all([
      ...directs.map(({ uploadId }) => complete(uploadId)),
      ...episodes.slice(6).map((one) => put(show, one, { as: "admin", body: new Uint8Array(EACH).fill(round) })),
      ...episodes.slice(0, 5).map((one, n) => pictured(one, n % 2 ? "jpeg" : "png")),
      pictured("cover", "jpeg"),
      pictured("header", "webp"),
      pictured("banner", "png"),
    ]);
    const refused = responses.filter(({ status }) => status !== 200);
    deepEqual(
      refused.map(({ status, body }) => [status, body.code]),
      Array(10).fill([409, "STORAGE_ALLOWANCE_EXCEEDED"]),
    );

    const under = `podcasts/${show.id}/%`;
    const stored = await sql`
      select name, (metadata ->> 'size')::bigint::int as bytes from storage.objects
      where bucket_id = 'media' and name like ${under} and name not like '%/derived/%' order by name`;
    const live = await sql`
      select path as name, bytes::int from private.media_objects where released_at is null and path like ${under} order by path`;
    deepEqual([...stored], [...live]);
    deepEqual(live.map(({ bytes }) => bytes), Array(10).fill(EACH));
    const [account] = await sql`
      select a.storage_bytes_used::bigint as used, (select sum(coalesce((o.metadata ->> 'size')::bigint, m.bytes)) from private.media_objects m
        left join storage.objects o on o.bucket_id = 'media' and o.name = m.path
        where m.account_id = a.user_id and m.released_at is null)::bigint as stored
      from public.billing_accounts a where a.user_id = ${owner.id}`;
    deepEqual(account, { used: String(ALLOWANCE - 1000), stored: String(ALLOWANCE - 1000) });

    // staged audio of rejected completions is kept for a day; all other staged objects are deleted
    const waiting = directs.filter((_, n) => responses[n].status !== 200).map(({ uploadPath }) => uploadPath).sort();
    await waitFor(
      "the staged objects of completed uploads are deleted",
      async () => (await stagedOf(show)).join() === waiting.join(),
    );
    for (const { name } of live) {
      const served = await fetch(publicUrl(name));
      deepEqual([served.status, (await served.arrayBuffer()).byteLength], [200, EACH]);
    }
  }
  await fullOf(1);
});
