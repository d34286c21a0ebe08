// The table that the parser's tests and bench/media/parse.ts go through: each file by name, and what it is. Pictures that
// are odd but real have their size; everything else has none.
import type { ImageInfo } from "../../functions/media/image_header.ts";
import { malformedJpegs } from "./malformed_jpegs.ts";
import { malformedPngs } from "./malformed_pngs.ts";
import { malformedWebps } from "./malformed_webps.ts";
import { polyglots } from "./polyglots.ts";

export type MalformedCase = [name: string, bytes: Uint8Array, expected: ImageInfo | undefined];

export const malformedCases: MalformedCase[] = [...malformedJpegs, ...malformedPngs, ...malformedWebps, ...polyglots];
