/**
 * From a feed's address to an import that can be looked at: items go to the database as they end, some hundred in a
 * statement, while the next ones are read; nothing but what detection needs stays here.
 */
import { retried, service } from "../../_shared/db.ts";
import { detectEpisodeNumbers } from "../../_shared/rss/numbers/detect.ts";
import { readFeed } from "../../_shared/rss/pages.ts";
import { jsonBatches, type Sink } from "../../_shared/rss/parse.ts";
import { numberedItems } from "./numbered.ts";
import { asRefusal, startFetching } from "./source.ts";

/** What start answers, as JSON. Of a feed that cannot be read nothing stays. */
export async function stage(importId: string, url: string): Promise<string> {
  try {
    return await staged(importId, url);
  } catch (error) {
    await dropped(importId);
    throw asRefusal(error);
  }
}

/** Why the feed was not read matters more than that this fails: the clock drops what nobody goes on reading. */
async function dropped(importId: string) {
  await retried(() => service`select private.drop_staging(${importId})`).catch((error) =>
    console.error(JSON.stringify({ message: "An import is left to the clock", importId, error: String(error) }))
  );
}

async function staged(importId: string, url: string): Promise<string> {
  const numbered = numberedItems();
  let storing: Promise<unknown> = Promise.resolve();
  const batches = jsonBatches(async (items) => {
    await storing;
    storing = retried(() => service`select private.stage_import_items(${importId}, ${items}::text::jsonb)`);
    storing.catch(() => {}); // the next batch, or the end, hears of it
  });
  const sink: Sink = {
    take(item) {
      numbered.add(item);
      return batches.take(item);
    },
    flush: batches.flush,
  };
  const { channel, warnings } = await readFeed(url, await startFetching(), sink).finally(() => storing);
  const detection = detectEpisodeNumbers(numbered.list());
  const [{ text }] = await retried(() =>
    service<{ text: string }[]>`
      select private.finish_staging(${importId}, ${JSON.stringify(channel)}::text::jsonb,
        ${JSON.stringify(detection)}::text::jsonb, ${JSON.stringify(warnings)}::text::jsonb)::text as text`
  );
  return text;
}
