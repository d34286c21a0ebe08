/** The settings that pages need: addresses of other parts, from which links and content security policies derive. */
import { readSettings } from "../../app/settings.ts";
import type { PublicReads } from "../../database/db.ts";

const KEYS = [
  ...["base_url", "public_url", "public_api_url", "embed_url", "pages_url", "app_url"] as const,
  ...["media_url", "former_media_urls", "captcha_provider", "captcha_site_key", "twitter_site"] as const,
];
export type PageSettings = Record<typeof KEYS[number], string>;

export const readPageSettings = (reads: PublicReads): Promise<PageSettings> => readSettings(reads, ...KEYS);

/** The icon of pages: the root of their host may be another program's. */
export const iconOf = ({ embed_url }: Pick<PageSettings, "embed_url">) => `${embed_url}/favicon.ico`;

/** Origins from which pages show images. All others could count listeners, so that their images become initials. */
export function imageOrigins({ media_url, former_media_urls, embed_url, pages_url }: PageSettings): string[] {
  return originsOf([media_url, ...former_media_urls.split(","), embed_url, pages_url]);
}

/** The origins of URLs; settings may be empty. */
export const originsOf = (urls: string[]): string[] => [
  ...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)),
];
