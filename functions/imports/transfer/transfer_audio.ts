/**
 * Streams an enclosure into storage, with at most one chunk in memory. A file of up to one chunk is stored at once; a
 * longer one is uploaded in chunks, after each of which another run can continue.
 */
import { putObject } from "../../media/storage/storage.ts";
import { CHUNK_BYTES, createUpload, getOffset, terminateUpload, uploadChunk } from "../../media/storage/tus.ts";
import { JobLostError, RequeueJob } from "../../runtime/job_run.ts";
import { SNIFF_BYTES, sniffAudioType } from "../../media/headers/sniff_audio_type.ts";
import { CorruptTransferError, OversizeError, PermanentImportError, TransientError } from "../import_errors.ts";
import { type Audio, deleteTransfer, type Item, saveTransfer, type Transfer } from "./claimed_item.ts";
import { type FetchLimits, openSource, type Source } from "./enclosure_source.ts";

/** Bytes that one run transfers of a resumable file: the platform allows an isolate 2 s of CPU. */
const MAX_BYTES_PER_RUN = 10 * CHUNK_BYTES;
/** Delay before the next run after a source broke off. */
const RECONNECT_DELAY_SECONDS = 5;

/** Stores the item's audio. Throws RequeueJob if another run continues. */
export async function storeAudio(item: Item, limits: FetchLimits): Promise<Audio> {
  const { enclosure } = item.payload;
  if (!enclosure) throw new PermanentImportError("ENCLOSURE_MISSING", "The episode has no media file");
  const earlier = item.transfer ? await resumeTransfer(item.transfer) : undefined;
  if (earlier && earlier.receivedBytes === earlier.storedBytes) return { ...transferredAudio(earlier), isNew: false };

  const source = await openSource(enclosure.url, earlier && resumePoint(earlier), limits);
  const chunks = createChunkReader(source.body);
  const run: Run = { bytesSent: 0, transfer: source.from > 0 ? earlier : undefined };
  const canResume = source.validator !== null || source.total !== undefined;
  // a source with unknown range support is tried once: it then restarts or continues
  const hasNext = (source.hasRanges ?? !item.transfer) && canResume;
  // a restarting transfer may restart forever: only bytes that no run had count as progress
  const maxReceivedBytes = item.transfer?.maxReceivedBytes ?? 0;
  const mayPause = () => hasNext && run.bytesSent > 0 && (run.transfer?.receivedBytes ?? 0) > maxReceivedBytes;
  try {
    // its row keeps the maximum until this run's first chunk is stored
    if (item.transfer && !run.transfer) await terminateUpload(item.transfer.uploadUrl);
    return await transferAudio(item, source, chunks, run, mayPause, limits);
  } catch (error) {
    await chunks.cancel();
    limits.signal.throwIfAborted();
    if (error instanceof JobLostError) throw error;
    if (error instanceof PermanentImportError || error instanceof OversizeError) {
      const transfer = run.transfer ?? item.transfer;
      if (transfer) await discardTransfer(item, transfer);
      throw error;
    }
    if (error instanceof CorruptTransferError) {
      if (run.transfer) await terminateUpload(run.transfer.uploadUrl);
      throw error;
    }
    // progress beyond all earlier runs that another can continue is not a failure
    throw mayPause() && !(error instanceof RequeueJob) ? new RequeueJob(RECONNECT_DELAY_SECONDS) : error;
  }
}

/** Progress of a run. */
interface Run {
  transfer?: Transfer;
  /** Bytes sent to storage. */
  bytesSent: number;
}

/** Buffers for reuse: runs follow each other faster than the garbage collector. */
const bufferPool: Uint8Array[] = [];

/** Transfers from the source's offset to its end, or until a pause is due. */
async function transferAudio(
  item: Item,
  source: Source,
  chunks: ChunkReader,
  run: Run,
  mayPause: () => boolean,
  { signal }: FetchLimits,
): Promise<Audio> {
  const { from, total } = source;
  requireCapacity(item, total ?? 0);
  const left = (total ?? Infinity) - from;
  const memory = left < CHUNK_BYTES ? new Uint8Array(left) : bufferPool.pop() ?? new Uint8Array(CHUNK_BYTES);
  for (let offset = from;;) {
    const wanted = Math.min((total ?? Infinity) - offset, remainingCapacity(item) + 1 - offset); // one byte more reveals that the file is too large
    const buffer = memory.subarray(0, wanted);
    const { size, isLast } = await chunks.next(buffer);
    const end = offset + size;
    requireCapacity(item, end);
    if (end === 0) throw new TransientError("The file is empty");
    if (isLast && end < (total ?? 0)) throw new TransientError("The download was incomplete"); // this chunk is not stored
    if (end === total && !isLast) throw new CorruptTransferError("The server sent more data than announced");
    const part = buffer.subarray(0, size);
    if (isLast && offset === 0) {
      const target = allocatePath(item, source, part);
      await putObject(target.path, part, target.contentType);
      if (memory.length === CHUNK_BYTES) bufferPool.push(memory);
      return { ...target, bytes: size, isNew: true };
    }

    run.transfer ??= await createTransfer(item, source, part);
    const { transfer } = run;
    await uploadChunk(transfer.uploadUrl, offset, part, isLast && transfer.totalBytes === null ? end : undefined);
    signal.throwIfAborted();
    run.bytesSent += size;
    transfer.receivedBytes = offset = end;
    if (isLast) transfer.totalBytes = end;
    await saveTransfer(item, transfer);
    const isPaused = run.bytesSent >= MAX_BYTES_PER_RUN && mayPause();
    if ((isLast || isPaused) && memory.length === CHUNK_BYTES) bufferPool.push(memory); // after a failure something may still read it
    if (isLast) return { ...transferredAudio(transfer), isNew: false };
    if (isPaused) throw new RequeueJob();
  }
}

const remainingCapacity = ({ maxBytes, remainingAllowanceBytes }: Item) => Math.min(maxBytes, remainingAllowanceBytes);

function requireCapacity({ maxBytes, remainingAllowanceBytes }: Item, bytes: number) {
  if (bytes > maxBytes) throw new OversizeError(maxBytes);
  if (bytes > remainingAllowanceBytes) {
    throw new PermanentImportError(
      "STORAGE_ALLOWANCE_EXCEEDED",
      "This would exceed the account's storage allowance",
    );
  }
}

/** Path and content type of the object. */
function allocatePath({ audioPaths, payload }: Item, source: Source, beginning: Uint8Array) {
  const { type, url } = payload.enclosure!;
  const contentType = sniffAudioType(beginning.subarray(0, SNIFF_BYTES), {
    server: source.contentType,
    feed: type,
    url,
  });
  if (!contentType) throw new PermanentImportError("UNSUPPORTED_AUDIO_FORMAT", "The file is not MP3, M4A or WAV audio");
  return { path: audioPaths[contentType]!, contentType };
}

async function createTransfer(item: Item, source: Source, beginning: Uint8Array): Promise<Transfer> {
  const { total, validator } = source;
  const { path, contentType } = allocatePath(item, source, beginning);
  const uploadUrl = await createUpload(path, contentType, total);
  return {
    path,
    contentType,
    uploadUrl,
    receivedBytes: 0,
    maxReceivedBytes: 0,
    totalBytes: total ?? null,
    etag: validator,
  };
}

/** Deletes the received data of an item that will not become an episode. */
async function discardTransfer({ itemId }: Item, { uploadUrl }: Transfer) {
  await terminateUpload(uploadUrl);
  await deleteTransfer(itemId);
}

/**
 * The state of an earlier transfer according to storage; undefined if it was deleted. It is complete once its object
 * exists.
 */
async function resumeTransfer(transfer: Transfer): Promise<Transfer | undefined> {
  const { storedBytes = null, totalBytes, uploadUrl } = transfer;
  if (storedBytes !== null && (totalBytes ?? storedBytes) === storedBytes) {
    return { ...transfer, receivedBytes: storedBytes };
  }
  const receivedBytes = await getOffset(uploadUrl);
  return receivedBytes ? { ...transfer, receivedBytes } : undefined;
}

const transferredAudio = ({ path, contentType, receivedBytes }: Transfer) => ({
  path,
  contentType,
  bytes: receivedBytes,
});

const resumePoint = ({ receivedBytes, totalBytes, etag }: Transfer) => ({
  from: receivedBytes,
  total: totalBytes ?? undefined,
  validator: etag,
});

type ChunkReader = ReturnType<typeof createChunkReader>;

/** Reads a stream in chunks: fills the given buffer and returns whether the stream has ended. */
function createChunkReader(body: ReadableStream<Uint8Array>) {
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
