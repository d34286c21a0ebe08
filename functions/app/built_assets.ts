/** Browser code as `npm run build` wrote it (scripts/build_browser.ts). */
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";

/** A module of functions/built. */
export interface BuiltAsset {
  contentType: string;
  /** Hash of the uncompressed bytes, without quotes. */
  etag: string;
  /** The number of uncompressed bytes. */
  bytes: number;
  /** In base64. */
  gzip: string;
}

/** The text of an asset, for pages that contain it. */
export const readText = ({ gzip }: BuiltAsset): string => gunzipSync(Buffer.from(gzip, "base64")).toString();
