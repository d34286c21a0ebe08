/** The settings that pages need: addresses of other parts, from which links and content security policies derive. */
import { toErrorResponse } from "../app/errors.ts";
import { onlyRow, type PublicReads } from "../database/db.ts";

const KEYS = [
  ...["base_url", "public_url", "public_api_url", "embed_url", "pages_url", "app_url"],
  ...["media_url", "former_media_urls", "captcha_provider", "captcha_site_key", "captcha_script_url"],
] as const;
export type PageSettings = Record<typeof KEYS[number], string>;

let lastSettings: PageSettings | undefined;

/** While the database is unavailable, the last known values are used: they are configuration. */
export async function readPageSettings(reads: PublicReads): Promise<PageSettings> {
  try {
    const { settings } = onlyRow(
      await reads.serviceSql<{ settings: PageSettings }[]>`
        select jsonb_object_agg(key, private.get_setting(key)) as settings from unnest(${[...KEYS]}::text[]) key`,
    );
    return lastSettings = settings;
  } catch (error) {
    if (lastSettings === undefined || toErrorResponse(error, { requestId: "", isSignedIn: false }).status !== 503) {
      throw error;
    }
    return lastSettings;
  }
}

/** Origins from which pages show images. All others could count listeners, so that their images become initials. */
export function imageOrigins({ media_url, former_media_urls, embed_url, pages_url }: PageSettings): string[] {
  return originsOf([media_url, ...former_media_urls.split(","), embed_url, pages_url]);
}

/** The origins of URLs; settings may be empty. */
export const originsOf = (urls: string[]): string[] => [
  ...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)),
];
