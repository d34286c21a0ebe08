/** JSON of clients: bounded before code walks it, and free of characters that Postgres cannot store. */
import { z } from "zod";
import { ApiError, excerpt } from "../runtime/api_error.ts";

/** Default limit of a JSON body; routes may set another. */
export const MAX_JSON_BYTES = 64 * 1024;
export const MAX_JSON_DEPTH = 64;

/** Parses text whose length the caller has bounded. 400 if it is nested too deeply, malformed or not storable. */
export function parseJson(text: string): unknown {
  if (isNestedDeeper(text, MAX_JSON_DEPTH)) {
    throw new ApiError(400, "JSON is nested too deeply", { details: `At most ${MAX_JSON_DEPTH} levels are allowed` });
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ApiError(400, "Malformed JSON");
  }
  if (text.includes("\\u")) rejectUnstorableText(json); // only an escape can add such a character to well-formed text
  return json;
}

/** Whether arrays and objects nest deeper than `max`. Malformed text may pass; the parser rejects it. */
export function isNestedDeeper(text: string, max: number): boolean {
  let depth = 0, isString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (++depth > max) return true;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
  }
  return false;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

interface Member {
  value: unknown;
  key?: string | number;
  parent?: Member;
}

/** Rejects NUL and unpaired surrogates, which Postgres cannot store: 400 that names the member. */
export function rejectUnstorableText(json: unknown): void {
  const members: Member[] = [{ value: json }];
  for (let member = members.pop(); member; member = members.pop()) {
    const { value } = member;
    if (typeof value === "string") rejectUnstorableString(value, member);
    if (typeof value !== "object" || value === null) continue;
    for (const name of Object.keys(value)) {
      rejectUnstorableString(name, member);
      const key = Array.isArray(value) ? Number(name) : name;
      members.push({ value: (value as Record<string, unknown>)[name], key, parent: member });
    }
  }
}

function rejectUnstorableString(text: string, member: Member) {
  if (!text.includes("\0") && text.isWellFormed()) return;
  const details = [...pathOf(member), "contains an unsupported character (NUL or unpaired surrogate)"].join(": ");
  throw new ApiError(400, "Invalid request", { details });
}

/** The member's path as one element; empty for the root. */
function pathOf(member: Member): string[] {
  const keys: (string | number)[] = [];
  for (let at: Member | undefined = member; at; at = at.parent) if (at.key !== undefined) keys.unshift(at.key);
  return keys.length ? [excerpt(z.core.toDotPath(keys))] : [];
}
