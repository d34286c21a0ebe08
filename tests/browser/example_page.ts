// What the tests of docs/examples share: the files, the configuration, and supabase-js without the CDN.
import assert from "node:assert/strict";
import { join } from "node:path";
import { devKeys } from "../../local/auth/keys.ts";
import { repository } from "../../local/host/project.ts";
import type { Page } from "./guest_page.ts";

export const read = (path: string) => Deno.readTextFile(join(repository, path));
const CONFIG = /const config = \{[^]*?\n {6}\};/;
const library = await read("node_modules/@supabase/supabase-js/dist/umd/supabase.js");
const libraryUrlOf = (html: string) => /"@supabase\/supabase-js": "(.*?)"/.exec(html)![1];

/** The page with this configuration. */
export function configured(html: string, config: object): string {
  const configuration = `const config = ${JSON.stringify(config)};`;
  const result = html.replace(CONFIG, () => configuration);
  assert.ok(result.includes(configuration));
  return result;
}

/** Serves the browser a local copy of the CDN's module. */
export const serveLibrary = (page: Page, html: string) =>
  page.route(libraryUrlOf(html), (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `${library}\nexport const { createClient } = supabase;`,
      headers: { "access-control-allow-origin": "*" },
    }));

export async function assertNamesLocalStack(html: string) {
  const { dependencies } = JSON.parse(await read("package.json")), url = libraryUrlOf(html);
  assert.ok(url.includes(`/@supabase/supabase-js@${dependencies["@supabase/supabase-js"]}/`), url);
  assert.ok(html.match(CONFIG)![0].includes(`publishableKey: "${devKeys.publishable}"`));
}
