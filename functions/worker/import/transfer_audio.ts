/**
 * An enclosure's way into storage: as it comes, no more than one part of it in memory. What is no longer than a part is
 * stored at once; anything longer goes in parts, and after each of them another run could go on.
 */
import { serviceSql } from "../../database/db.ts";
import { putObject } from "../../media/storage.ts";
import { CHUNK_BYTES, createUpload, getOffset, terminateUpload, uploadChunk } from "../../media/tus.ts";
import { Continue, LeaseLost } from "../job.ts";
import { SNIFF_BYTES, sniffAudioType } from "../../media/audio_type.ts";
import { ItemFailure, Muddled, Oversize, Passing } from "./item_errors.ts";
import { dropTransfer, type Item, saveTransfer, type Transfer } from "./claimed_item.ts";
import { openSource, type Patience, type Source } from "./enclosure_source.ts";

export interface Audio {
  path: string;
  bytes: number;
  contentType: string;
  /** Stored by this run; an earlier one's stays for the next, should this run fail. */
  isNew: boolean;
}

/** What one run moves of a file that can go on: an isolate of the platform has 2 s of CPU. */
const MOST_PER_RUN = 10 * CHUNK_BYTES;
/** Before a source that broke is asked again. */
const GATHER_SECONDS = 5;

/** Stores the item's audio. Throws Continue when another run is to go on. */
export async function storeAudio(item: Item, patience: Patience): Promise<Audio> {
  const { enclosure } = item.payload;
  if (!enclosure) throw new ItemFailure("ENCLOSURE_MISSING", "The episode has no media file");
  const earlier = item.transfer ? await resumed(item.transfer) : undefined;
  if (earlier && earlier.received === earlier.storedBytes) return { ...audioOf(earlier), isNew: false };

  const source = await openSource(enclosure.url, earlier && placeOf(earlier), patience);
  const parts = partsOf(source.body);
  const run: Run = { sent: 0, transfer: source.from > 0 ? earlier : undefined };
  const isTold = source.validator !== null || source.total !== undefined;
  // a source that does not say whether it has ranges is tried, once: then it began anew, or went on
  const hasNext = (source.hasRanges ?? !item.transfer) && isTold;
  // who begins anew may have to do so again and again: only what none of an item's runs had brings it on, or it never ends
  const furthest = item.transfer?.furthest ?? 0;
  const mayPause = () => hasNext && run.sent > 0 && (run.transfer?.received ?? 0) > furthest;
  try {
    // its row stays, for how far it came, until this run's first part is there
    if (item.transfer && !run.transfer) await terminateUpload(item.transfer.uploadUrl);
    return await moved(item, source, parts, run, mayPause, patience);
  } catch (error) {
    await parts.cancel();
    patience.signal.throwIfAborted();
    if (error instanceof LeaseLost) throw error;
    if (error instanceof ItemFailure || error instanceof Oversize) {
      const transfer = run.transfer ?? item.transfer;
      if (transfer) await forget(item, transfer);
      throw error;
    }
    if (error instanceof Muddled) {
      if (run.transfer) await terminateUpload(run.transfer.uploadUrl);
      throw error;
    }
    // further than any run before, and another can take it up from there: that is no failure
    throw mayPause() && !(error instanceof Continue) ? new Continue(GATHER_SECONDS) : error;
  }
}

/** How far a run has come. */
interface Run {
  transfer?: Transfer;
  /** Bytes that it gave to storage. */
  sent: number;
}

/** Memory of parts that were sent: runs follow each other faster than the garbage collector. */
const spare: Uint8Array[] = [];

/** From where the source begins to its end, or to where a pause is due. */
async function moved(
  item: Item,
  source: Source,
  parts: Parts,
  run: Run,
  mayPause: () => boolean,
  { signal }: Patience,
): Promise<Audio> {
  const { from, total } = source;
  requireRoom(item, total ?? 0);
  const left = (total ?? Infinity) - from;
  const memory = left < CHUNK_BYTES ? new Uint8Array(left) : spare.pop() ?? new Uint8Array(CHUNK_BYTES);
  for (let offset = from;;) {
    const wanted = Math.min((total ?? Infinity) - offset, room(item) + 1 - offset); // one more shows that it is too large
    const buffer = memory.subarray(0, wanted);
    const { size, isLast } = await parts.next(buffer);
    const end = offset + size;
    requireRoom(item, end);
    if (end === 0) throw new Passing("The file is empty");
    if (isLast && end < (total ?? 0)) throw new Passing("The file ended early"); // nothing of this part is kept
    if (end === total && !isLast) throw new Muddled("The address sent more than the file has");
    const part = buffer.subarray(0, size);
    if (isLast && offset === 0) {
      const place = await placed(item, source, part);
      await putObject(place.path, part, place.contentType);
      if (memory.length === CHUNK_BYTES) spare.push(memory);
      return { ...place, bytes: size, isNew: true };
    }

    run.transfer ??= await begun(item, source, part);
    const { transfer } = run;
    await uploadChunk(transfer.uploadUrl, offset, part, isLast && transfer.total === null ? end : undefined);
    signal.throwIfAborted();
    run.sent += size;
    transfer.received = offset = end;
    if (isLast) transfer.total = end;
    await saveTransfer(item, transfer);
    const isPaused = run.sent >= MOST_PER_RUN && mayPause();
    if ((isLast || isPaused) && memory.length === CHUNK_BYTES) spare.push(memory); // after a failure, who knows who still reads it
    if (isLast) return { ...audioOf(transfer), isNew: false };
    if (isPaused) throw new Continue();
  }
}

const room = ({ maxBytes, allowanceLeft }: Item) => Math.min(maxBytes, allowanceLeft);

function requireRoom({ maxBytes, allowanceLeft }: Item, bytes: number) {
  if (bytes > maxBytes) throw new Oversize(maxBytes);
  if (bytes > allowanceLeft) {
    throw new ItemFailure("ALLOWANCE_EXCEEDED", "This would exceed the storage allowance of the account");
  }
}

/** Where and as what it is to be stored. */
async function placed({ podcastId, episodeId, payload }: Item, source: Source, beginning: Uint8Array) {
  const { type, url } = payload.enclosure!;
  const contentType = sniffAudioType(beginning.subarray(0, SNIFF_BYTES), {
    server: source.contentType,
    feed: type,
    url,
  });
  if (!contentType) throw new ItemFailure("NOT_AUDIO", "The file is no MP3, M4A or WAV audio");
  const [{ path }] = await serviceSql<{ path: string }[]>`
    select private.audio_path(${podcastId}, ${episodeId}, gen_random_uuid(), ${contentType}) as path`;
  return { path, contentType };
}

async function begun(item: Item, source: Source, beginning: Uint8Array): Promise<Transfer> {
  const { total, validator } = source;
  const { path, contentType } = await placed(item, source, beginning);
  const uploadUrl = await createUpload(path, contentType, total);
  return { path, contentType, uploadUrl, received: 0, furthest: 0, total: total ?? null, etag: validator };
}

/** Removes what has arrived of an item that is not going to be an episode. */
export async function forget({ itemId }: Item, { uploadUrl }: Transfer) {
  await terminateUpload(uploadUrl);
  await dropTransfer(itemId);
}

/** How far an earlier transfer has come, as storage says; undefined when it is gone. It is whole once it is an object. */
async function resumed(transfer: Transfer): Promise<Transfer | undefined> {
  const { storedBytes = null, total, uploadUrl } = transfer;
  if (storedBytes !== null && (total ?? storedBytes) === storedBytes) return { ...transfer, received: storedBytes };
  const received = await getOffset(uploadUrl);
  return received ? { ...transfer, received } : undefined;
}

const audioOf = ({ path, contentType, received }: Transfer) => ({ path, contentType, bytes: received });

const placeOf = ({ received, total, etag }: Transfer) => ({
  from: received,
  total: total ?? undefined,
  validator: etag,
});

type Parts = ReturnType<typeof partsOf>;

/** A stream in parts: it fills one buffer after another, and says whether that was the last of it. */
function partsOf(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  let rest: Uint8Array | undefined = new Uint8Array();
  const more = async () => {
    while (rest?.length === 0) rest = (await reader.read()).value;
  };
  return {
    async next(buffer: Uint8Array) {
      let size = 0;
      for (await more(); rest && size < buffer.length; await more()) {
        const fits: Uint8Array = rest.subarray(0, buffer.length - size);
        buffer.set(fits, size);
        size += fits.length;
        rest = rest.subarray(fits.length);
      }
      return { size, isLast: !rest };
    },
    cancel: () => reader.cancel().catch(() => {}),
  };
}
