// Feed values as feedsmith takes them. It writes neither podcast:contentLink nor an item's podcast:funding.
import type { PODCAST_VALUES } from "./large_podcast.ts";

type Shared = Pick<
  typeof PODCAST_VALUES,
  "license" | "license_url" | "locations" | "images" | "social_interactions" | "value_blocks"
>;

export function namespaceOf(values: Shared) {
  return {
    license: { display: values.license, url: values.license_url },
    locations: values.locations.map(({ name, ...location }) => ({ display: name, ...location })),
    images: values.images.map(({ aspect_ratio, ...image }) => ({ aspectRatio: aspect_ratio, ...image })),
    socialInteracts: values.social_interactions.map(({ account_id, ...one }) => ({ accountId: account_id, ...one })),
    values: values.value_blocks.map(({ type, method, suggested, recipients }) => ({
      ...{ type, method, suggested: Number(suggested) },
      valueRecipients: recipients,
    })),
  };
}
