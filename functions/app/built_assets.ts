/** Browser code and codecs as `npm run build` wrote them (scripts/build_browser.ts). */
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

/** The uncompressed bytes. */
export const readBytes = ({ gzip }: BuiltAsset): Uint8Array => gunzipSync(Buffer.from(gzip, "base64"));

/** The text of an asset, for pages that contain it. */
export const readText = (asset: BuiltAsset): string => new TextDecoder().decode(readBytes(asset));
