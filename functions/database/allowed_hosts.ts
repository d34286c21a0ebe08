/** The setting fetch_allowed_hosts: hosts (`host` or `host:port`) that may be fetched even if they are private. */
import { getSetting } from "./db.ts";

export async function getAllowedHosts(): Promise<string[]> {
  return splitHosts(await getSetting("fetch_allowed_hosts"));
}

/** The setting separates hosts by commas or white space. */
export const splitHosts = (setting: string) => setting.split(/[\s,]+/).filter((host) => host !== "");
