/** The export of an account as one JSON document, which is written page by page. */
import type { AccountExportPage } from "../../types/account.ts";
import { logError } from "../runtime/log.ts";

/** Reads the next page when the client has taken the last one, so that memory holds one page. */
export function exportDocument(
  first: AccountExportPage,
  readPage: (cursor: string) => Promise<AccountExportPage>,
): ReadableStream<Uint8Array> {
  async function* pages() {
    for (let page = first;;) {
      yield page;
      const { nextCursor } = page.pagination;
      if (nextCursor === null) return;
      page = await readPage(nextCursor).catch(() => readPage(nextCursor)); // the connection was lost, for example
    }
  }
  return ReadableStream.from(writeDocument(pages())).pipeThrough(new TextEncoderStream());
}

async function* writeDocument(pages: AsyncIterable<AccountExportPage>): AsyncGenerator<string> {
  let openSection: string | undefined;
  try {
    yield `{"exportedAt":"${new Date().toISOString()}"`;
    for await (const { data } of pages) {
      for (const { section, records } of data) {
        const items = records.map((record) => JSON.stringify(record)).join(",");
        if (section !== openSection) yield `${openSection ? "]" : ""},"${section}":[${items}`;
        else if (items) yield `,${items}`;
        openSection = section;
      }
    }
    yield "]}";
  } catch (error) {
    logError({ error });
    throw error; // breaks the response: the document lacks its end and is not valid JSON
  }
}
