/** The setting fetch_allowed_hosts: hosts (`host` or `host:port`) that may be fetched although they are not public. */
import { getSetting } from "../database/db.ts";

/** They stand in the setting with commas or white space between them. */
export async function getAllowedHosts(): Promise<string[]> {
  return (await getSetting("fetch_allowed_hosts")).split(/[\s,]+/).filter((host) => host !== "");
}
