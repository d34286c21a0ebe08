/** Public settings of the installation (sql/00_foundation), for pages and documents. */
import { onlyRow, type PublicReads } from "../database/db.ts";
import { toErrorResponse } from "./errors.ts";

const known: Record<string, string> = {};

/** While the database is unavailable, the last known values are used: they are configuration. */
export async function readSettings<Key extends string>(
  { serviceSql }: PublicReads,
  ...keys: Key[]
): Promise<Record<Key, string>> {
  try {
    const { settings } = onlyRow(
      await serviceSql<{ settings: Record<string, string> }[]>`
        select jsonb_object_agg(key, private.get_setting(_key => key)) as settings from unnest(${keys}::text[]) key`,
    );
    return Object.assign(known, settings);
  } catch (error) {
    if (
      keys.some((key) => !(key in known)) || toErrorResponse(error, { requestId: "", isSignedIn: false }).status !== 503
    ) {
      throw error;
    }
    return known;
  }
}
