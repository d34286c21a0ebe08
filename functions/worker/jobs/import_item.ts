/**
 * import_items: imports one episode with its audio and image. If a worker dies, the next run continues where storage
 * says; leftovers are swept.
 */
import { z } from "zod";
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { logError } from "../../runtime/log.ts";
import { deleteUnfinishedUpload } from "../../media/storage/uploads.ts";
import { storeArtwork } from "../../imports/transfer/episode_artwork.ts";
import { storeAudio } from "../../imports/transfer/transfer_audio.ts";
import { OversizeError, PermanentImportError, toUserFacingError } from "../../imports/import_errors.ts";
import {
  type Artwork,
  type Audio,
  beginItem,
  deleteTransfer,
  endItem,
  finishItem,
} from "../../imports/transfer/claimed_item.ts";
import { startHeartbeat } from "../heartbeat.ts";
import { JobLostError, RequeueJob, type RunContext } from "../../runtime/job_run.ts";
import type { Job } from "../job.ts";

const schema = z.object({
  type: z.literal("import_item"),
  import_id: z.guid(),
  import_item_id: z.guid(),
  podcast_id: z.guid(),
});

export const importItemJob: Job<z.infer<typeof schema>> = {
  queue: "import_items",
  schema,
  batchSize: 1,
  visibilityTimeoutSeconds: 60,
  concurrency: 4,
  isPaced: true,
  async run([{ import_item_id: id }], context) {
    try {
      await importItem(id, context);
    } catch (error) {
      if (error instanceof RequeueJob || error instanceof JobLostError) throw error;
      const userError = toUserFacingError(error, context.attempt);
      if (userError !== error) logError({ import_item_id: id, error });
      throw userError;
    }
  },
};

/** Creates the episode, or records why there can be none. Throws errors after which another attempt may succeed. */
async function importItem(id: string, context: RunContext): Promise<void> {
  // Also while leftovers are deleted
  await using heartbeat = startHeartbeat(context);
  const stored: StoredFiles = {};
  try {
    await storeEpisode(id, context, stored, heartbeat.signal);
  } catch (error) {
    const reason = toUserFacingError(error, context.attempt);
    await deleteStored(stored, reason instanceof PermanentImportError ? id : undefined);
    if (!(reason instanceof OversizeError || reason instanceof PermanentImportError)) throw error;
    await endItem(id, context, reason);
  }
}

/** The objects of an item that has no episode yet. */
interface StoredFiles {
  audio?: Audio;
  artwork?: Artwork | null;
}

async function storeEpisode(id: string, context: RunContext, stored: StoredFiles, signal: AbortSignal): Promise<void> {
  const item = await beginItem(id, context);
  if (!item) return;
  const limits = { signal, deadline: context.deadline, login: item.login, ...await getFetchSettings() };
  const audio = stored.audio = await storeAudio(item, limits);
  const artwork = stored.artwork = await storeArtwork(item, audio.bytes, limits);
  signal.throwIfAborted();
  if (!await finishItem(item, audio, artwork)) await deleteStored(stored, id);
}

/** `endedId` is the item if no attempt follows. */
async function deleteStored({ audio, artwork }: StoredFiles, endedId?: string): Promise<void> {
  if (!audio) return;
  if (artwork && "path" in artwork) await deleteUnfinishedUpload(artwork.path);
  // an upload in chunks is kept for the next attempt, which need not fetch it again
  if (audio.isNew || endedId) await deleteUnfinishedUpload(audio.path);
  if (endedId) await deleteTransfer(endedId);
}
