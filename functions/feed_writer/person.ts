/**
 * Renders a credit as podcast:person
 * (https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/person.md).
 */
import { truncate } from "../text/plain_text.ts";
import { toUri } from "../text/uri.ts";
import type { Credit } from "./feed_rows.ts";
import { TAXONOMY } from "./taxonomy.ts";
import { isPresent } from "../text/xml_text.ts";
import type { Value } from "./xml.ts";

/** The namespace's limit for a name; aggregators may truncate longer ones anywhere. */
const MAX_NAME_CHARS = 128;

/** A credit without a visible name is left out, because the tag must not be blank. */
export function personValue({ name, role_label, avatar_url, external_url }: Credit): Value {
  if (!isPresent(name)) return undefined;
  const attributes = { ...TAXONOMY[role_label], img: toUri(avatar_url), href: toUri(external_url) };
  return { attributes, text: truncate(name.trim(), MAX_NAME_CHARS) };
}
