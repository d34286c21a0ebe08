/**
 * Renders podcast:alternateEnclosure with its sources and integrity
 * (https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/alternate-enclosure.md).
 */
import { toUri } from "../text/uri.ts";
import type { AlternateEnclosure } from "./feed_values.ts";
import type { Value } from "./xml.ts";

export function alternateEnclosure({ sources, integrity, ...attributes }: AlternateEnclosure): Value {
  const { type, length, bitrate, height, lang, title, rel, codecs, default: isDefault } = attributes;
  return {
    attributes: { type, length, bitrate, height, lang, title, rel, codecs, default: isDefault },
    children: {
      "podcast:source": sources.map(({ uri, content_type }) => ({
        attributes: { uri: toUri(uri), contentType: content_type },
      })),
      "podcast:integrity": integrity && { attributes: { type: integrity.type, value: integrity.value } },
    },
  };
}
