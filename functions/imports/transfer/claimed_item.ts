/** An import item between its claim and its end, as the database stores it (sql/75_imports). */
import type { ImportWarningCode } from "../../../types/error_codes.ts";
import { service } from "../../database/service.ts";
import { parseJson } from "../../runtime/json.ts";
import type { FeedItem } from "../../feed_reader/feed.ts";
import { JobLostError, type RunContext } from "../../runtime/job_run.ts";
import type { Login } from "../feed_login.ts";
import { OversizeError, type PermanentImportError } from "../import_errors.ts";
import type { StoredImage } from "./store_image.ts";

export interface Item {
  itemId: string;
  podcastId: string;
  /** Id of the episode to create. */
  episodeId: string;
  payload: Partial<Pick<FeedItem, "enclosure" | "image" | "durationSeconds">>;
  /** State of an interrupted transfer. */
  transfer: Transfer | null;
  /** Bytes that the account can still store. */
  remainingAllowanceBytes: number;
  maxBytes: number;
  maxImageBytes: number;
  login: Login | null;
  /** Where this run stores the audio, by its content type. */
  audioPaths: Partial<Record<string, string>>;
  /** The run that claimed it. */
  run: RunContext;
}

/** An upload in progress. */
export interface Transfer {
  path: string;
  contentType: string;
  uploadUrl: string;
  receivedBytes: number;
  /** The most bytes that any transfer of the item received. */
  maxReceivedBytes: number;
  totalBytes: number | null;
  /** The source's validator, which detects a changed file. */
  etag: string | null;
  /** Size of the object, once the upload is complete. */
  storedBytes?: number | null;
}

export interface Audio {
  path: string;
  bytes: number;
  contentType: string;
  /** True if this run stored it. An object of an earlier run is kept for the next one when this run fails. */
  isNew: boolean;
}

/** A stored image, the warning why there is none, or that import_files tries again. */
export type Artwork =
  | StoredImage
  | { isPending: true }
  | { warning: { code: ImportWarningCode; message: string } };

/** Begins the item; undefined if there is nothing left to do. */
export async function beginItem(id: string, run: RunContext): Promise<Item | undefined> {
  const { attempt, messageIds: [msgId] } = run;
  const text = (await service.text("begin_import_item", { importItemId: id, attempt, msgId }))!;
  const started = parseJson(text) as Omit<Item, "run"> & { skip?: string };
  return started.skip === undefined ? { ...started, run } : undefined;
}

/** Throws JobLostError if the item has ended or belongs to another run. */
export async function saveTransfer({ itemId, run: { attempt, messageIds: [msgId] } }: Item, transfer: Transfer) {
  const { path, contentType, uploadUrl, receivedBytes, totalBytes, etag: sourceEtag } = transfer;
  const isKept = await service("save_import_transfer", {
    importItemId: itemId,
    path,
    contentType,
    uploadUrl,
    receivedBytes,
    totalBytes,
    sourceEtag,
    msgId,
    attempt,
  });
  if (!isKept) throw new JobLostError();
}

export async function deleteTransfer(id: string) {
  await service("delete_import_transfer", { importItemId: id });
}

/** Creates the episode, atomically and idempotently. Returns false if the item no longer needs the objects. */
export async function finishItem(
  { itemId, payload }: Item,
  { path, bytes, contentType }: Audio,
  artwork: Artwork | null,
): Promise<boolean> {
  const { isKept } = await service("finish_import_item", {
    importItemId: itemId,
    path,
    bytes,
    contentType,
    durationSeconds: payload.durationSeconds ?? null,
    image: artwork,
  }) as { isKept: boolean };
  return isKept;
}

/** Ignored if another message or a later attempt has the item. */
export async function endItem(
  id: string,
  { attempt, messageIds: [msgId] }: RunContext,
  reason: OversizeError | PermanentImportError,
) {
  const end = { importItemId: id, errorMessage: reason.message, msgId, attempt };
  if (reason instanceof OversizeError) await service("skip_import_item", end);
  else await service("fail_import_item", { ...end, errorCode: reason.code });
}
