/** The setting fetch_allowed_hosts: hosts (`host` or `host:port`) that may be fetched even if they are private. */
import { getSetting } from "../database/db.ts";

/** The setting separates hosts by commas or white space. */
export async function getAllowedHosts(): Promise<string[]> {
  return (await getSetting("fetch_allowed_hosts")).split(/[\s,]+/).filter((host) => host !== "");
}
