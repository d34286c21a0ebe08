// The steps of a history: operations that store, reference, replace, collect and sweep; each may die half-way.
import type { Operation } from "../../functions/database/operations.ts";
import { media } from "./media.ts";
import { outcome, type RaceDatabase, transfer } from "./race_database.ts";
import { type Model, url } from "./storage_model.ts";

const IMAGE_TYPES = ["cover", "header", "banner", "profile"], EXTENSIONS = ["jpg", "png"];
const SQUARE = '{"width":1400,"height":1400}';

const OFTEN =
  "audio audio cover cover image image again again collect collect collect publish complete pass sweep sweep".split(
    " ",
  );

interface Cast {
  /** Ids of podcasts, and of people by name; each person is an admin or the owner of every podcast. */
  shows: string[];
  people: Map<string, string>;
}

/** Steps by name; each returns its outcome, and may throw an error of the product. */
export function storageSteps(there: RaceDatabase, model: Model, { shows, people }: Cast, next: () => number) {
  const { sql } = there, { resultOf, finished } = media(there);
  const below = (n: number) => Math.floor(next() * n), some = <T>(of: readonly T[]): T => of[below(of.length)];
  const PEOPLE = [...people.keys()];
  let episodes: { id: string; show: string }[] = [];
  const open: { id: string; path: string; staged: string }[] = [];

  const call = (operation: Operation, args: Record<string, unknown>) =>
    outcome(resultOf(some(PEOPLE), operation, args));
  const bytes = () => 1 + below(1000);
  const dies = () => next() < 0.1; // the process of the functions dies now

  /** Stores, finishes or removes, as functions/media/storage/uploads.ts does. */
  async function upload(path: string, size: number, finish: () => Promise<unknown>): Promise<string> {
    await model.store(path, size);
    if (dies()) return "died before it finished";
    const ended = await finished(finish);
    if (ended === "ok") model.finished.add(path);
    else if (!dies()) {
      const [{ removal }] = await sql`select private.begin_object_removal(${path}) as removal`;
      if (removal) {
        await model.remove([path]);
        await sql`select private.end_object_removal(${removal})`;
      }
    }
    return ended;
  }
  async function collect(paths: string[]): Promise<string> {
    const taken = await model.take(paths);
    if (dies()) return "died before it deleted";
    await model.remove(taken);
    return `${taken.length} of ${paths.length}`;
  }
  const orForget = async (paths: string[]) => dies() ? "died before it claimed" : await collect(paths);
  const audioUrl = async (episode: string) =>
    (await sql`select audio_url as url from public.episodes where id = ${episode}`)[0]?.url ?? null;

  const steps: Record<string, () => Promise<string>> = {
    async episode() {
      const show = some(shows);
      const [made] = await sql`insert into public.episodes (podcast_id, title) values (${show}, 'One') returning id`;
      episodes.push({ id: made.id, show });
      return made.id;
    },
    async audio() {
      const e = some(episodes),
        size = bytes(),
        expected = next() < 0.9 ? await audioUrl(e.id) : "https://casts.test/other";
      const path = `podcasts/${e.show}/e/${e.id}/audio/${crypto.randomUUID()}.mp3`;
      return await upload(
        path,
        size,
        () =>
          sql`select private.finish_audio_upload(${people.get(
            "ola",
          )!}, ${e.show}, ${e.id}, ${path}, ${size}, 'audio/mpeg', 1, ${expected})`,
      );
    },
    async open() {
      const e = some(episodes), size = bytes();
      const args = { podcastId: e.show, episodeId: e.id, contentType: "audio/wav", filename: "a", fileSize: size };
      const { uploadId, uploadPath, finalPath } = await resultOf("ola", "begin_direct_upload", args);
      if (next() < 0.9) await model.store(uploadPath, size);
      open.push({ id: uploadId, path: finalPath, staged: uploadPath });
      return uploadId;
    },
    async complete() {
      const begun = await resultOf("ola", "begin_direct_upload_completion", { uploadId: some(open).id });
      if (begun.error) return begun.error;
      const { podcastId, episodeId, stagedPath, path, bytes, expectedAudioUrl } = begun;
      const ended = await upload(
        path,
        bytes,
        () =>
          sql`select private.finish_audio_upload(${people.get(
            "ola",
          )!}, ${podcastId}, ${episodeId}, ${path}, ${bytes}, 'audio/wav', 1, ${expectedAudioUrl})`,
      );
      return stagedPath && ended === "ok" ? await orForget([stagedPath]) : ended;
    },
    async image() {
      const show = some(shows), place = some(IMAGE_TYPES), size = bytes();
      const path = `podcasts/${show}/images/${place}/${crypto.randomUUID()}.${some(EXTENSIONS)}`;
      return await upload(
        path,
        size,
        () =>
          sql`select private.finish_image_upload(${people.get(
            "ben",
          )!}, ${show}, ${place}, ${path}, ${size}, 'image/png', ${SQUARE}::text::jsonb)`,
      );
    },
    async cover() {
      const e = some(episodes), size = bytes();
      const path = `podcasts/${e.show}/e/${e.id}/images/${crypto.randomUUID()}.${some(EXTENSIONS)}`;
      let deletable: string[] = [];
      const ended = await upload(path, size, async () => {
        const [{ result }] = await sql`select private.finish_image_upload(${people.get(
          "ben",
        )!}, ${e.show}, 'episode_cover', ${path}, ${size}, 'image/png', ${SQUARE}::text::jsonb, ${e.id}) as result`;
        deletable = result.deletablePaths;
      });
      return ended === "ok" ? await orForget(deletable) : ended;
    },
    async temporary() {
      const by = some(PEOPLE), size = bytes(), path = `imports/${people.get(by)}/${crypto.randomUUID()}.jpg`;
      const ended = await upload(
        path,
        size,
        () =>
          sql`select private.finish_artwork_import(${people.get(
            by,
          )!}, ${path}, ${size}, 'image/jpeg', ${SQUARE}::text::jsonb)`,
      );
      if (ended === "ok") model.temporaries.set(path, people.get(by)!);
      return ended;
    },
    async move() {
      const imports = [...model.known.keys()].filter((path) => path.startsWith("imports/"));
      if (!imports.length) return "nothing to move";
      const source = some(imports), by = PEOPLE.find((name) => source.includes(people.get(name)!))!;
      const args = { sourcePath: source, podcastId: some(shows), imageType: "cover" };
      const begun = await resultOf(by, "begin_artwork_move", args);
      if (begun.alreadyMoved) return "was moved";
      const ended = await upload(
        begun.path,
        model.known.get(source)!.bytes,
        () =>
          sql`select private.finish_artwork_move(${people.get(
            by,
          )!}, ${source}, ${args.podcastId}, 'cover', ${begun.path})`,
      );
      if (ended !== "ok") return ended;
      model.temporaries.delete(source);
      return await orForget([source]);
    },
    publish: () => call("publish_episode", { episodeId: some(episodes).id }),
    unpublish: () => call("unpublish_episode", { episodeId: some(episodes).id }),
    silence: () => call("remove_episode_audio", { episodeId: some(episodes).id }),
    async clear() {
      const args = { podcastId: some(shows), imageType: some(IMAGE_TYPES) };
      return await orForget((await resultOf("ola", "delete_podcast_image", args)).paths);
    },
    async edit() {
      const of = some(["podcasts", "episodes"]), row = of === "podcasts" ? some(shows) : some(episodes).id;
      const column = of === "podcasts" ? `${some(IMAGE_TYPES)}_image_url` : "cover_image_url";
      const typed = some([
        null,
        "https://elsewhere.test/a.png",
        ...Array(4).fill(url(some([...model.known.keys(), "podcasts/x"]))),
      ]);
      const ended = await outcome(sql`update ${sql(`public.${of}`)} set ${sql({ [column]: typed })} where id = ${row}`);
      if (ended !== "ok" && ended !== "PT400") throw new Error(ended); // most objects belong to another column
      return `${column} of ${row}: ${typed} (${ended})`;
    },
    async again() { // the URL of an earlier object of the same column
      const { place } = some(await model.columns()),
        before = [...model.known.keys()].filter((path) => path.startsWith(place));
      const [, show, , episode] = place.split("/"), column = `${place.split("/").at(-2)}_image_url`;
      if (!before.length || place.endsWith("/audio/")) return "nothing was there";
      const typed = url(some(before));
      if (place.includes("/e/")) await sql`update public.episodes set cover_image_url = ${typed} where id = ${episode}`;
      else await sql`update public.podcasts set ${sql({ [column]: typed })} where id = ${show}`;
      return typed;
    },
    async delete() {
      const e = some(episodes);
      episodes = episodes.filter((one) => one !== e);
      return await outcome(sql`delete from public.episodes where id = ${e.id}`);
    },
    async transfer() {
      const show = some(shows), to = some(PEOPLE);
      const [{ from }] = await sql`select owner_id as from from public.podcasts where id = ${show}`;
      const owner = PEOPLE.find((name) => people.get(name) === from)!;
      return await transfer(there, show, owner, to);
    },
    async collect() {
      const jobs = await sql`select msg_id, message from pgmq.q_storage_gc order by msg_id`;
      if (!jobs.length) return "nothing is enqueued";
      const job = some(jobs);
      const how = await collect(job.message.paths);
      if (!how.startsWith("died")) await sql`select pgmq.delete('storage_gc', ${job.msg_id}::bigint)`;
      return how;
    },
    async pass() {
      const hours = some([5, 5, 30, 100, 200]);
      await model.pass(hours);
      return `${hours} hours`;
    },
    async sweep() {
      await model.sweep();
      return "swept";
    },
  };

  /** A random one that is available. */
  const choices = [...Object.keys(steps), ...OFTEN];
  return { steps, choose: () => episodes.length < 3 ? "episode" : open.length < 1 ? "open" : some(choices) };
}
