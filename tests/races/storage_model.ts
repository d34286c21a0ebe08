// A model of the expected state of storage, columns and accounts: which objects were stored, which uploads were
// finished, and when each object was last in use.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import type { RaceDatabase } from "./race_database.ts";

const BASE = "https://casts.test/storage/v1/object/public/media/";
export const url = (path: string) => `${BASE}${path}?v=1`;
const pathOf = (url: string | null) => url?.startsWith(BASE) ? url.slice(BASE.length).split("?")[0] : undefined;

/** How long an orphan and a temporary object are kept, in hours. */
const GUARD = 168, TEMPORARY = 24;

export interface Column {
  owner: string;
  /** The folder of the objects that are uploaded for this column. */
  place: string;
  path: string | undefined;
}

export interface Model {
  /** Hours that have passed. */
  clock: number;
  /** Every object that was ever stored: its size and time. */
  known: Map<string, { bytes: number; at: number }>;
  /** Finished uploads. */
  finished: Set<string>;
  /** Objects that garbage collection claimed: the ledger has deleted their rows. */
  forgotten: Set<string>;
  /** The owners of temporary imports, by path. */
  temporaries: Map<string, string>;
  store(path: string, bytes: number): Promise<string>;
  remove(paths: string[]): Promise<void>;
  columns(): Promise<Column[]>;
  /** Claims the orphans among these paths; garbage collection deletes them or dies. */
  take(paths: string[]): Promise<string[]>;
  /** Advances the time by this many hours. */
  pass(hours: number): Promise<void>;
  /** Sweeps, and compares the enqueued paths with the model. */
  sweep(): Promise<void>;
  /** Asserts the invariants after each step. */
  check(): Promise<void>;
  stored(): Promise<Set<string>>;
}

/** The bucket of this path. */
const bucketOf = (path: string) => path.startsWith("uploads/") ? "staging" : "media";

export function storageModel({ sql }: RaceDatabase): Model {
  const lastUsed = new Map<string, number>();
  const model: Model = {
    clock: 0,
    known: new Map(),
    finished: new Set(),
    forgotten: new Set(),
    temporaries: new Map(),

    async store(path, bytes) {
      await sql`insert into storage.objects (bucket_id, name, metadata) values (${
        bucketOf(path)
      }, ${path}, jsonb_build_object('size', ${bytes}::bigint))
        on conflict do nothing`; // an existing copy is kept
      if (!model.known.has(path)) model.known.set(path, { bytes, at: model.clock });
      return path;
    },

    async remove(paths) {
      await sql.begin(async (t) => {
        await t`select set_config('storage.allow_delete_query', 'true', true)`;
        await t`delete from storage.objects where name = any (${paths})`;
      });
    },

    async columns() {
      const podcasts = await sql`
        select p.id, p.owner_id, p.cover_image_url as cover, p.header_image_url as header, p.banner_image_url as banner,
          p.profile_image_url as profile from public.podcasts p order by p.created_at`;
      const episodes = await sql`
        select e.id, e.podcast_id, p.owner_id, e.audio_url as audio, e.cover_image_url as images
        from public.episodes e join public.podcasts p on p.id = e.podcast_id order by e.created_at`;
      return [
        ...podcasts.flatMap((p) =>
          ["cover", "header", "banner", "profile"].map((place) => ({
            owner: p.owner_id,
            place: `podcasts/${p.id}/images/${place}/`,
            path: pathOf(p[place]),
          }))
        ),
        ...episodes.flatMap((e) =>
          ["audio", "images"].map((place) => ({
            owner: e.owner_id,
            place: `podcasts/${e.podcast_id}/e/${e.id}/${place}/`,
            path: pathOf(e[place]),
          }))
        ),
      ];
    },

    async take(paths) {
      const named = namedBy(await model.columns());
      const [{ taken }] = await sql<
        { taken: string[] }[]
      >`select to_jsonb(private.claim_orphaned_objects('media', ${paths})) as taken`;
      deepEqual(taken.filter((path) => named.has(path)), [], "a column references a claimed object");
      for (const path of taken) model.forgotten.add(path);
      return taken;
    },

    async pass(hours) {
      model.clock += hours;
      const ago = `${hours} hours`;
      await sql`update storage.objects set created_at = created_at - ${ago}::interval`;
      await sql`update private.media_objects set created_at = created_at - ${ago}::interval, released_at = released_at - ${ago}::interval`;
      await sql`update private.direct_uploads set created_at = created_at - ${ago}::interval`;
    },

    async sweep() {
      const before = (await sql`select msg_id from pgmq.q_storage_gc`).map((row) => row.msg_id);
      const open = new Set((await sql`
        select staged_path as path from private.direct_uploads where ended_at is null and created_at > now() - interval '24 hours'`)
        .map(({ path }) => path));
      const copies = new Set((await sql`select path from private.direct_uploads`).map(({ path }) => path));
      await sql`select private.sweep_storage(), private.sweep_staging()`;
      const queued = await sql<{ path: string }[]>`
        select jsonb_array_elements_text(message -> 'paths') as path from pgmq.q_storage_gc where msg_id <> all (${before}::bigint[])`;
      for (const { path } of queued) {
        if (bucketOf(path) === "staging") ok(!open.has(path), `${path} was swept while its upload was open`);
        if (bucketOf(path) === "staging" || copies.has(path) && !model.finished.has(path)) continue; // an ended upload's
        const { at } = model.known.get(path)!;
        const temporary = model.temporaries.has(path);
        const isKnown = model.finished.has(path) && !model.forgotten.has(path);
        const idle = model.clock - (isKnown ? lastUsed.get(path) ?? at : at);
        ok(idle >= (temporary ? TEMPORARY : GUARD), `${path} was swept ${idle} hours after it was in use`);
      }
      for (const path of model.temporaries.keys()) {
        if (model.clock - model.known.get(path)!.at >= TEMPORARY) model.temporaries.delete(path);
      }
    },

    async check() {
      const [columns, stored] = [await model.columns(), await model.stored()];
      const named = namedBy(columns);
      for (const path of named) lastUsed.set(path, model.clock);
      // take() never deletes a referenced object, so a missing one was referenced after its deletion
      const missing = [...named].filter((path) => model.known.has(path) && !stored.has(path));
      deepEqual(missing.filter((path) => !model.forgotten.has(path)), [], "a column references a deleted object");

      const charged = new Map<string, number>();
      const charge = (owner: string, path: string) =>
        charged.set(owner, (charged.get(owner) ?? 0) + model.known.get(path)!.bytes);
      for (const { path, place, owner } of columns) {
        if (path?.startsWith(place) && model.finished.has(path) && !model.forgotten.has(path)) charge(owner, path);
      }
      for (const [path, owner] of model.temporaries) charge(owner, path);
      const accounts = await sql<{ id: string; used: number }[]>`
        select user_id as id, storage_bytes_used::int as used from public.billing_accounts where storage_bytes_used <> 0`;
      deepEqual(
        new Map(accounts.map(({ id, used }) => [id, used])),
        charged,
        "accounts are charged for what is in use",
      );
    },

    async stored() {
      return new Set((await sql`select name from storage.objects`).map(({ name }) => name));
    },
  };
  return model;
}

/** The objects that columns reference. */
export const namedBy = (columns: Column[]) =>
  new Set(columns.filter(({ path, place }) => path?.startsWith(place)).map(({ path }) => path!));
