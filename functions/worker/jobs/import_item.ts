/**
 * import_items: imports one episode with its audio and image. If a worker dies, the next run continues where storage
 * says; leftovers are swept.
 */
import { z } from "zod";
import { logError } from "../../runtime/log.ts";
import { serviceSql } from "../../database/db.ts";
import { deleteUnfinishedUpload } from "../../media/storage/uploads.ts";
import { storeArtwork } from "../../imports/transfer/episode_artwork.ts";
import { storeAudio } from "../../imports/transfer/transfer_audio.ts";
import { OversizeError, PermanentItemError, toUserFacingError } from "../../imports/transfer/item_errors.ts";
import {
  type Artwork,
  type Audio,
  beginItem,
  deleteTransfer,
  failItem,
  finishItem,
  type Item,
  skipItem,
} from "../../imports/transfer/claimed_item.ts";
import { startHeartbeat } from "../heartbeat.ts";
import type { FetchLimits } from "../../imports/transfer/enclosure_source.ts";
import { LeaseLostError, RequeueJob, type RunContext } from "../../runtime/job_run.ts";
import { type ClaimedMessage, type Job, MAX_MESSAGE_CHARS } from "../job.ts";

const schema = z.object({
  type: z.literal("import_item"),
  import_id: z.guid(),
  import_item_id: z.guid(),
  podcast_id: z.guid(),
});

const VISIBILITY_TIMEOUT_SECONDS = 60;

export const importItemJob: Job<z.infer<typeof schema>> = {
  queue: "import_items",
  // a batch has one message
  claim: ({ ids: [id = null], attempts: [attempt = null] }) =>
    serviceSql<ClaimedMessage[]>`
      select msg_id, attempt, left(message::text, ${MAX_MESSAGE_CHARS + 1}) as message, item::text as begun
      from private.claim_import_item(visibility_timeout_seconds => ${VISIBILITY_TIMEOUT_SECONDS},
        completed_id => ${id}, completed_attempt => ${attempt})`,
  schema,
  batchSize: 1,
  visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
  concurrency: 4,
  async run([{ import_item_id: id }], context) {
    try {
      await runItem(id, context);
    } catch (error) {
      if (error instanceof RequeueJob || error instanceof LeaseLostError) throw error;
      const userError = toUserFacingError(error);
      if (userError !== error) logError({ import_item_id: id, error });
      throw userError;
    }
  },
};

/** Imports the item, or records why it cannot become an episode. Other errors are thrown and retried. */
async function runItem(id: string, context: RunContext): Promise<void> {
  try {
    const item = await beginItem(id, context);
    if (item) await importEpisode(item, context);
  } catch (error) {
    if (error instanceof RequeueJob || error instanceof LeaseLostError) throw error;
    const userError = toUserFacingError(error);
    if (userError instanceof OversizeError) return await skipItem(id, context, userError.message);
    if (userError instanceof PermanentItemError) return await failItem(id, context, userError.message, userError.code);
    throw error;
  }
}

async function importEpisode(item: Item, context: RunContext): Promise<void> {
  await using heartbeat = startHeartbeat(context, VISIBILITY_TIMEOUT_SECONDS);
  const limits = { signal: heartbeat.signal, deadline: context.deadline, allowedHosts: item.allowedHosts };
  const audio = await storeAudio(item, limits);
  await finishEpisode(item, audio, limits);
}

/** Creates the episode with the stored objects; without an episode the objects are deleted. */
async function finishEpisode(item: Item, audio: Audio, limits: FetchLimits): Promise<void> {
  let artwork: Artwork | null = null;
  const cleanUp = async (isOver: boolean) => {
    if (artwork && "path" in artwork) await deleteUnfinishedUpload(artwork.path);
    // an upload in chunks is kept for the next attempt, which need not fetch it again
    if (audio.isNew || isOver) await deleteUnfinishedUpload(audio.path);
    if (isOver) await deleteTransfer(item.itemId);
  };
  try {
    artwork = await storeArtwork(item, audio.bytes, limits);
    limits.signal.throwIfAborted();
    if (!await finishItem(item, audio, artwork)) await cleanUp(true);
  } catch (error) {
    await cleanUp(toUserFacingError(error) instanceof PermanentItemError);
    throw error;
  }
}
