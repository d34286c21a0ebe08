// parseImageHeader on bytes that report reads past their end and repeated reads.
import { type ImageInfo, parseImageHeader } from "../../functions/media/headers/image_header.ts";

export function parseWithBoundsCheck(bytes: Uint8Array): ImageInfo | undefined {
  let reads = 0;
  const watching = new Proxy(bytes, {
    get(_, name) {
      if (name === "length") return bytes.length;
      const at = Number(name);
      if (!(at >= 0 && at < bytes.length)) throw new Error(`read ${String(name)} of ${bytes.length} bytes`);
      if (++reads > 2 * bytes.length + 20) throw new Error(`read ${reads} times in ${bytes.length} bytes`);
      return bytes[at];
    },
  });
  return parseImageHeader(watching);
}
