// The table that the parser's tests and bench/media/parse.ts go through: each file by name, and what it is. Pictures that
// are odd but real have their size; everything else has none.
import type { ImageInfo } from "../../functions/media/image_header.ts";
import { hostileJpegs } from "./malformed_jpegs.ts";
import { hostilePngs } from "./malformed_pngs.ts";
import { hostileWebps } from "./malformed_webps.ts";
import { polyglots } from "./polyglots.ts";

export type Hostile = [name: string, bytes: Uint8Array, expected: ImageInfo | undefined];

export const hostile: Hostile[] = [...hostileJpegs, ...hostilePngs, ...hostileWebps, ...polyglots];
