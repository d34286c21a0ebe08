/** Texts of emails, which the database holds (sql/00_foundation/tables/34_texts.sql). */
import { serviceSql } from "../database/db.ts";

/** A text in one language, with its {placeholders} filled. */
export type Texts = (key: string, params?: Record<string, string>) => string;

interface CachedTexts {
  texts: Texts;
  expiresAt: number;
}

const CACHE_MS = 60_000;
const cache = new Map<string, CachedTexts>();

/** `language` is a result of private.language_of(). */
export async function readTexts(language: string): Promise<Texts> {
  const cached = cache.get(language);
  if (cached && cached.expiresAt > Date.now()) return cached.texts;
  const [{ rows }] = await serviceSql<{ rows: Record<string, string> }[]>`
    select jsonb_object_agg(t.key, t.text) as rows from private.texts t where t.locale = ${language}`;
  const texts: Texts = (key, params = {}) => {
    if (rows[key] === undefined) throw new Error(`Text ${key} is missing in ${language}`);
    return rows[key].replace(/\{([a-z_]+)\}/g, (_, name) => params[name] ?? "");
  };
  cache.set(language, { texts, expiresAt: Date.now() + CACHE_MS });
  return texts;
}
