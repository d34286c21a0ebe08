// The storage allowance under concurrent changes: never exceeded, used to the last object that fits, always exact.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { randomNumbers } from "../random.ts";
import { byScale } from "../scale.ts";
import { media, whileSampling, WRONG_ACCOUNTS, WRONG_PLACES } from "./media.ts";
import { createRaceDatabase, runConcurrently, transfer } from "./race_database.ts";

const ALLOWANCE = 1_073_741_824;
const IMAGE_TYPES = ["cover", "header", "banner", "profile"];

Deno.test("concurrent uploads of every kind at the limit of an allowance", async (t) => {
  await using there = await createRaceDatabase(26);
  const { sql, as, id } = there, { audio, direct, image, temporary, move, resultOf } = media(there);
  await sql`select tests.person('ola'), tests.person('ben'), private.set_setting('max_direct_uploads_per_hour', '1000000')`;
  const used = async (who: string) =>
    Number(
      (await sql`select storage_bytes_used as n from public.billing_accounts where user_id = tests.id(${who})`)[0].n,
    );
  const assertExact = async () => {
    deepEqual([...await sql.unsafe(WRONG_ACCOUNTS)], []);
    deepEqual([...await sql.unsafe(WRONG_PLACES)], []);
  };
  /** Creates an empty podcast of ola's with ben as an admin; deletes all other podcasts and objects. */
  async function fresh(show: string, episodes: number) {
    await sql`delete from public.podcasts`;
    await sql`delete from private.media_objects`;
    await sql`select tests.podcast(${show}, 'ola'), tests.member('ben', ${show}, 'admin')`;
    await sql`select tests.episode(${show} || '/' || n, ${show}) from generate_series(0, ${episodes - 1}::int) n`;
  }

  /** Twenty uploads of new images and audio, five of each kind; each starts when it is called. */
  async function twenty(show: string, bytes: (i: number) => number): Promise<(() => Promise<string>)[]> {
    const directs = await Promise.all(
      Array.from({ length: 5 }, (_, i) => direct("ben", show, `${show}/${5 + i}`, bytes(5 + i))),
    );
    return Array.from({ length: 20 }, (_, i) => {
      if (i < 5) return () => audio("ben", show, `${show}/${i}`, bytes(i));
      if (i < 10) return directs[i - 5];
      if (i < 14) return () => image("ben", show, IMAGE_TYPES[i - 10], bytes(i));
      if (i < 15) return () => image("ben", show, "episode_cover", bytes(i), "image/png", `${show}/0`);
      return async () => (await temporary("ola", bytes(i))).ended;
    });
  }

  /** The arguments that begin a direct upload for each of this many episodes of these podcasts. */
  const directUploadArgs = (shows: string[], episodes: number, fileSize: number) =>
    Promise.all(shows.flatMap((show) =>
      Array.from({ length: episodes }, async (_, n) => ({
        podcastId: await id(show),
        episodeId: await id(`${show}/${n}`),
        contentType: "audio/mpeg",
        filename: "a",
        fileSize,
      }))
    ));

  await t.step("as many concurrent uploads succeed as fit, and the others return 409", async () => {
    const each = Math.floor(ALLOWANCE / 10);
    for (let round = 0; round < byScale(4, 60); round++) {
      await fresh(`equal${round}`, 10);
      const uploads = await twenty(`equal${round}`, () => each);
      let ended = {};
      const wrong = await whileSampling(
        there,
        WRONG_ACCOUNTS,
        async () => ended = await runConcurrently(20, (i) => uploads[i]()),
      );
      deepEqual(ended, { ok: 10, PT409: 10 });
      deepEqual(wrong, [], "at no moment");
      equal(await used("ola"), 10 * each);
      await assertExact();
    }
  });

  await t.step("a rejected upload would have exceeded the allowance, to the byte", async () => {
    const next = randomNumbers(20261122);
    for (let round = 0; round < byScale(4, 60); round++) {
      await fresh(`mixed${round}`, 10);
      const sizes = Array.from({ length: 20 }, () => 1 + Math.floor(next() * ALLOWANCE / 6));
      const uploads = await twenty(`mixed${round}`, (i) => sizes[i]);
      const ended = await Promise.all(uploads.map((upload) => upload()));
      const total = await used("ola");
      equal(total, sizes.filter((_, i) => ended[i] === "ok").reduce((a, b) => a + b, 0));
      for (const [i, how] of ended.entries()) {
        if (how !== "ok") {
          ok(how === "PT409" && total + sizes[i] > ALLOWANCE, `${how} at ${sizes[i]} with ${total} used`);
        }
      }
      await assertExact();
    }
  });

  await t.step("uploads one byte over the remaining allowance fail, and one that fits exactly succeeds", async () => {
    await fresh("gap", 10);
    equal(await audio("ola", "gap", "gap/9", ALLOWANCE - 1000), "ok");
    const over = await twenty("gap", () => 1001).catch((error) => error.code);
    equal(over, "PT409", "begin_direct_upload rejects a size over the allowance");
    const ended = await runConcurrently(
      8,
      (i) => i % 2 ? image("ben", "gap", IMAGE_TYPES[i >> 1], 1001) : audio("ben", "gap", `gap/${i}`, 1001),
    );
    deepEqual(ended, { PT409: 8 });
    deepEqual(
      await runConcurrently(
        8,
        (i) => i % 2 ? image("ben", "gap", IMAGE_TYPES[i >> 1], 1000) : audio("ben", "gap", `gap/${i}`, 1000),
      ),
      {
        ok: 1,
        PT409: 7,
      },
    );
    equal(await used("ola"), ALLOWANCE);
    await assertExact();
  });

  await t.step("as many concurrent direct uploads open as fit, over all podcasts", async () => {
    const each = Math.floor(ALLOWANCE / 10);
    for (let round = 0; round < byScale(4, 60); round++) {
      const shows = ["a", "b", "c", "d"].map((name) => `direct${round}${name}`);
      await fresh(shows[0], 5);
      for (const show of shows.slice(1)) {
        await sql`select tests.podcast(${show}, 'ola'), tests.member('ben', ${show}, 'admin')`;
        await sql`select tests.episode(${show} || '/' || n, ${show}) from generate_series(0, 4) n`;
      }
      const uploads = await directUploadArgs(shows, 5, each);
      deepEqual(await runConcurrently(20, (i) => as("ben", "begin_direct_upload", uploads[i])), { ok: 10, PT409: 10 });
    }
  });

  await t.step("concurrent direct uploads for one episode are all accepted, and one stays open", async () => {
    await fresh("again", 1);
    const [uploads] = await directUploadArgs(["again"], 1, Math.floor(ALLOWANCE / 4));
    deepEqual(await runConcurrently(20, () => as("ben", "begin_direct_upload", uploads)), { ok: 20 });
    const [{ open }] = await sql`
      select count(*)::int as open from private.direct_uploads where podcast_id = tests.id('again') and ended_at is null`;
    equal(open, 1);
  });

  await t.step("concurrent direct uploads leave an account with a hundred open, over all its podcasts", async () => {
    await fresh("open", 11);
    await sql`select tests.podcast('open too', 'ola'), tests.member('ben', 'open too', 'admin')`;
    await sql`select tests.episode('open too/' || n, 'open too') from generate_series(0, 9) n`;
    await sql`insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, declared_bytes)
      select tests.id('open'), tests.id('open/10'), 's' || n, 'p' || n, 'audio/wav', 1 from generate_series(1, 90) n`;
    const uploads = await directUploadArgs(["open", "open too"], 10, 1);
    deepEqual(await runConcurrently(20, (i) => as("ben", "begin_direct_upload", uploads[i])), { ok: 10, PT429: 10 });
  });

  await t.step(
    "twenty concurrent replacements of an image in a full account succeed, because each counts the bytes it frees",
    async () => {
      await fresh("full", 2);
      equal(await image("ben", "full", "cover", 5000), "ok");
      equal(await image("ben", "full", "episode_cover", 5000, "image/png", "full/0"), "ok");
      equal(await audio("ben", "full", "full/0", ALLOWANCE - 10_000), "ok");
      const wrong = await whileSampling(there, WRONG_ACCOUNTS, async () => {
        const ended = await runConcurrently(
          20,
          (i) =>
            i % 2
              ? image("ben", "full", "cover", 5000, i % 4 === 1 ? "image/png" : "image/jpeg")
              : image("ben", "full", "episode_cover", 5000, i % 4 ? "image/png" : "image/jpeg", "full/0"),
        );
        deepEqual(ended, { ok: 20 });
      });
      deepEqual(wrong, []);
      equal(await image("ben", "full", "cover", 5001), "PT409");
      equal(await used("ola"), ALLOWANCE);
      await assertExact();
    },
  );

  await t.step(
    "concurrent imports, moves, uploads, removals and transfers keep two full accounts exact at every moment",
    async () => {
      const next = randomNumbers(20261123);
      const each = Math.floor(ALLOWANCE / 8);
      for (let round = 0; round < byScale(3, 40); round++) {
        const show = `churn${round}`;
        await fresh(show, 6);
        await sql`select tests.podcast(${show} || 'b', 'ben'), tests.member('ola', ${show} || 'b', 'admin')`;
        const podcastId = await id(show);
        const { path: hers } = await temporary("ola", each), { path: his } = await temporary("ben", each);
        for (let n = 0; n < 4; n++) equal(await audio("ola", show, `${show}/${n}`, each), "ok");
        const url = async (n: number) =>
          (await sql`select audio_url as url from public.episodes where id = tests.id(${`${show}/${n}`})`)[0].url;
        const before = await Promise.all([0, 1, 2, 3].map(url));
        const work: (() => Promise<string>)[] = [
          () => transfer(there, podcastId, "ola", "ben"),
          () => move("ola", hers, `${show}b`, "cover", each),
          () => move("ben", his, show, "cover", each),
          () => move("ben", his, show, "cover", each),
          async () => as("ben", "remove_episode_audio", { episodeId: await id(`${show}/0`) }),
          () => audio("ben", show, `${show}/1`, each, before[1]),
          () => audio("ola", show, `${show}/1`, 2 * each, before[1]),
          () => audio("ben", show, `${show}/4`, 2 * each),
          () => audio("ola", show, `${show}/5`, each),
          () => image("ola", show, "header", each),
          () => image("ben", `${show}b`, "banner", 3 * each),
          async () => (await temporary("ben", each)).ended,
          async () => (await temporary("ola", each)).ended,
          async () => as("ben", "delete_podcast_image", { podcastId: await id(show), imageType: "cover" }),
        ].sort(() => next() - 0.5);
        let ended: Record<string, number> = {};
        const wrong = await whileSampling(
          there,
          WRONG_ACCOUNTS,
          async () => ended = await runConcurrently(work.length, (i) => work[i]()),
        );
        deepEqual(wrong, []);
        deepEqual(
          Object.keys(ended).filter((how) => !["ok", "PT409", "PT404", "PT403"].includes(how)),
          [],
          JSON.stringify(ended),
        );
        await assertExact();
        const back = await resultOf("ben", "get_storage_usage", {});
        equal(back.usedBytes, await used("ben"));
        equal(
          back.usedBytes,
          back.temporaryBytes + back.podcasts.reduce((sum: number, p: { usedBytes: number }) => sum + p.usedBytes, 0),
        );
        await transfer(there, podcastId, "ben", "ola");
        await assertExact();
      }
    },
  );
});
