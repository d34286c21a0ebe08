/** /feeds/:slug.xml: a podcast's feed. */
import { openRouter } from "../_shared/app.ts";

export const feeds = openRouter();
