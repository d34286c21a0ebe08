/** One request that makes a CDN drop its copies. */
import { getFetchSettings } from "../database/fetch_settings.ts";
import { env } from "../runtime/env.ts";
import { serviceSql } from "../database/db.ts";
import { postPing } from "./post_ping.ts";

/** Cloudflare accepts 100 in a request, Fastly 256. */
export const MAX_KEYS_PER_PURGE = 100;

type Format = "fastly" | "cloudflare";

const FORMATS: Record<Format, { member: string; authorize: (token: string) => Record<string, string> }> = {
  // https://www.fastly.com/documentation/reference/api/purging/
  fastly: { member: "surrogate_keys", authorize: (token) => ({ "fastly-key": token }) },
  // https://developers.cloudflare.com/api/resources/cache/methods/purge/
  cloudflare: { member: "tags", authorize: (token) => ({ authorization: `Bearer ${token}` }) },
};

/** Resolves when the CDN has accepted the purge of these keys, or when none is set. */
export async function purgeKeys(keys: string[]): Promise<void> {
  const [{ url, format }] = await serviceSql<{ url: string; format: Format }[]>`
    select private.get_setting(_key => 'cdn_purge_url') as url,
      private.get_setting(_key => 'cdn_purge_format') as format`;
  if (!url) return;
  const { member, authorize } = FORMATS[format];
  await postPing("The CDN", {
    url,
    headers: { "content-type": "application/json", ...env.CDN_PURGE_TOKEN && authorize(env.CDN_PURGE_TOKEN) },
    body: JSON.stringify({ [member]: keys }),
  }, await getFetchSettings());
}
