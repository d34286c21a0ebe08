/** An item of an import, as the database gives it to the worker and takes it back (sql/75_imports). */
import { serviceSql, withRetry } from "../../database/db.ts";
import type { ItemErrorCode } from "../../app/error_codes.ts";
import { parseJson } from "../../app/json.ts";
import type { FeedItem } from "../../feed_reader/types.ts";
import { LeaseLostError, type RunContext } from "../job.ts";
import type { PermanentItemError } from "./item_errors.ts";

export interface Item {
  itemId: string;
  podcastId: string;
  /** The id that the episode will have. */
  episodeId: string;
  payload: Pick<FeedItem, "enclosure" | "image" | "durationSeconds">;
  /** Where an earlier run stopped. */
  transfer: Transfer | null;
  /** Bytes that the podcast's account can still take. */
  remainingAllowanceBytes: number;
  maxBytes: number;
  /** The run that works on it. */
  run: RunContext;
}

/** An object that is on its way in parts. */
export interface Transfer {
  path: string;
  contentType: string;
  uploadUrl: string;
  /** Bytes that storage has. */
  received: number;
  /** The most that it ever had of this item, in earlier transfers too. */
  maxReceived: number;
  total: number | null;
  /** Of the source, to know whether it is still the same file. */
  etag: string | null;
  /** The object's size, once it is one. */
  storedBytes?: number | null;
}

export interface Audio {
  path: string;
  bytes: number;
  contentType: string;
  /** True if this run stored it. An object of an earlier run is kept for the next one when this run fails. */
  isNew: boolean;
}

/** A stored image, or the warning that says why there is none. */
export type Artwork =
  | { path: string; bytes: number; contentType: string; width: number; height: number }
  | { warning: { code: ItemErrorCode; message: string } };

/** Takes up the item; undefined when there is nothing to do any more. */
export async function beginItem(id: string, run: RunContext): Promise<Item | undefined> {
  const { attempt, messageIds: [message] } = run;
  const [{ text }] = await withRetry(() =>
    serviceSql<{ text: string }[]>`select private.begin_import_item(${id}, ${attempt}, ${message})::text as text`
  );
  const begun = parseJson(text) as Omit<Item, "run"> & { skip?: string };
  return begun.skip === undefined ? { ...begun, run } : undefined;
}

/** Throws LeaseLostError when the item is not worked on any more, or by another run. */
export async function saveTransfer({ itemId, run: { attempt, messageIds: [message] } }: Item, transfer: Transfer) {
  const { path, contentType, uploadUrl, received, total, etag } = transfer;
  const [{ isKept }] = await serviceSql<{ isKept: boolean }[]>`
    select private.save_import_transfer(${itemId}, ${path}, ${contentType}, ${uploadUrl}, ${received}, ${total}, ${etag},
      ${message}, ${attempt}) as "isKept"`;
  if (!isKept) throw new LeaseLostError();
}

export async function deleteTransfer(id: string) {
  await serviceSql`select private.delete_import_transfer(${id})`;
}

/**
 * The episode appears, or nothing changes; a second time changes nothing. False when the item has become something else,
 * which needs none of these objects.
 */
export async function finishItem(
  { itemId, payload }: Item,
  { path, bytes, contentType }: Audio,
  artwork: Artwork | null,
): Promise<boolean> {
  const [{ isKept }] = await withRetry(() =>
    serviceSql<{ isKept: boolean }[]>`
      select (private.finish_import_item(${itemId}, ${path}, ${bytes}, ${contentType}, ${
      payload.durationSeconds ?? null
    },
        ${JSON.stringify(artwork)}::text::jsonb) -> 'kept')::boolean as "isKept"`
  );
  return isKept;
}

/** Neither this nor failItem says anything of an item that another message, or a later attempt, has by now. */
export async function skipItem(id: string, { attempt, messageIds: [message] }: RunContext, reason: string) {
  await withRetry(() =>
    serviceSql`select private.skip_import_item(${id}, 'skipped_oversize', ${reason}, ${message}, ${attempt})`
  );
}

export async function failItem(
  id: string,
  { attempt, messageIds: [message] }: RunContext,
  reason: string,
  code: PermanentItemError["code"],
) {
  await withRetry(() => serviceSql`select private.fail_import_item(${id}, ${reason}, ${code}, ${message}, ${attempt})`);
}
