/**
 * import_items: an episode of another host's feed comes here with its audio and picture. Whoever dies in the middle
 * leaves it to the next run, which goes on where storage says that the last one was; what is left over is swept.
 */
import { z } from "zod";
import { deleteUnfinishedUpload } from "../../media/uploads.ts";
import { type Artwork, storeArtwork } from "../import/episode_artwork.ts";
import { type Audio, storeAudio } from "../import/transfer_audio.ts";
import { inTheirWords, ItemFailure, Oversize } from "../import/item_errors.ts";
import { beginItem, dropTransfer, failItem, finishItem, type Item, skipItem } from "../import/claimed_item.ts";
import { keepLease } from "../import/heartbeat.ts";
import type { Patience } from "../import/enclosure_source.ts";
import { Continue, type Job, LeaseLost, type RunContext } from "../job.ts";

const payload = z.object({
  type: z.literal("import_item"),
  import_id: z.guid(),
  import_item_id: z.guid(),
  podcast_id: z.guid(),
});

const LEASE = 60;

export const importItem: Job<z.infer<typeof payload>> = {
  queue: "import_items",
  payload,
  batch: 1,
  lease: LEASE,
  concurrency: 4,
  async run([{ import_item_id: id }], context) {
    try {
      await attempted(id, context);
    } catch (error) {
      if (error instanceof Continue || error instanceof LeaseLost) throw error;
      const said = inTheirWords(error);
      if (said !== error) console.error(JSON.stringify({ function: "worker", item: id, cause: causeOf(error) }));
      throw said;
    }
  },
};

/** Makes an episode of the item, or says of it why it is going to be none. Whatever else is thrown may be better later. */
async function attempted(id: string, context: RunContext): Promise<void> {
  try {
    const item = await beginItem(id, context);
    if (item) await imported(item, context);
  } catch (error) {
    if (error instanceof Continue || error instanceof LeaseLost) throw error;
    const said = inTheirWords(error);
    if (said instanceof Oversize) return await skipItem(id, context, said.message);
    if (said instanceof ItemFailure) return await failItem(id, context, said.message, said.code);
    throw error;
  }
}

async function imported(item: Item, context: RunContext): Promise<void> {
  await using lease = keepLease(context, LEASE);
  const patience = { signal: lease.signal, deadline: context.deadline };
  const audio = await storeAudio(item, patience);
  await finished(item, audio, patience);
}

/** The episode, with what was stored for it; without an episode these objects go. */
async function finished(item: Item, audio: Audio, patience: Patience): Promise<void> {
  let artwork: Artwork | null = null;
  const leave = async (isOver: boolean) => {
    if (artwork && "path" in artwork) await deleteUnfinishedUpload(artwork.path);
    // what came in parts waits for the next attempt, which need not fetch it again
    if (audio.isNew || isOver) await deleteUnfinishedUpload(audio.path);
    if (isOver) await dropTransfer(item.itemId);
  };
  try {
    artwork = await storeArtwork(item, audio.bytes, patience);
    patience.signal.throwIfAborted();
    if (!await finishItem(item, audio, artwork)) await leave(true);
  } catch (error) {
    await leave(inTheirWords(error) instanceof ItemFailure);
    throw error;
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message} (${causeOf(error.cause)})` : error.message;
}
