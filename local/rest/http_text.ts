// What a response can carry.
import { Buffer } from "node:buffer";

/** A header's value whose bytes are the text in UTF-8, as PostgREST sends it. */
export const utf8Header = (text: string) => Buffer.from(text).toString("latin1");

/** Whether a response of this status cannot have a body. */
export const hasNullBody = (status: number) => [204, 205, 304].includes(status);
