// Images for the parser's tests and bench/media/parse.ts: name, bytes and expected result. Unusual but valid images
// have
// their size; all others have none.
import type { ImageInfo } from "../../functions/media/headers/image_header.ts";
import { malformedJpegs } from "./malformed_jpegs.ts";
import { malformedPngs } from "./malformed_pngs.ts";
import { malformedWebps } from "./malformed_webps.ts";
import { polyglots } from "./polyglots.ts";

export type MalformedCase = [name: string, bytes: Uint8Array, expected: ImageInfo | undefined];

export const malformedCases: MalformedCase[] = [...malformedJpegs, ...malformedPngs, ...malformedWebps, ...polyglots];
