/** The payload of a push message, which the front end's service worker reads. */

export interface PushContent {
  deliveryId: string;
  notificationId: string;
  title: string;
  body: string | null;
  /** Opened by a click. */
  url: string;
  /** How many notifications the message means; the texts are those of the newest. */
  count: number;
  /** A message replaces the shown one with this tag: the group of the notification, or its id. */
  tag: string;
}

/**
 * Push services take bodies of 4,096 bytes (RFC 8030, 7.2). The header of the encryption takes 86 of them, its padding
 * delimiter and tag 17 (RFC 8291, 4).
 */
export const MAX_PAYLOAD_BYTES = 4096 - 86 - 17;

const encoder = new TextEncoder();
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** JSON of at most MAX_PAYLOAD_BYTES. A long body is cut first, then the title, never inside a grapheme. */
export function serializePayload(content: PushContent): string {
  const { deliveryId, notificationId, title, body, url, count, tag } = content;
  const fitting = { deliveryId, notificationId, title, body, url, count, tag };
  for (const field of ["body", "title"] as const) {
    const text = fitting[field], excess = jsonBytes(fitting) - MAX_PAYLOAD_BYTES;
    if (text && excess > 0) fitting[field] = shorten(text, jsonBytes(text) - excess);
  }
  return JSON.stringify(fitting);
}

const ELLIPSIS = "…";

/** Cuts a text so that its JSON has at most so many bytes, or is that of an ellipsis. */
function shorten(text: string, maxJsonBytes: number): string {
  let bytes = jsonBytes(ELLIPSIS), end = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    bytes += jsonBytes(segment) - QUOTES;
    if (bytes > maxJsonBytes) break;
    end = index + segment.length;
  }
  return text.slice(0, end).trimEnd() + ELLIPSIS;
}

const QUOTES = 2;
const jsonBytes = (value: unknown) => encoder.encode(JSON.stringify(value)).length;
