/** The body of a response as a stream that reads on demand and always gives up the connection at its end. */
import type { Connection } from "./connection.ts";
import type { Deadline } from "./deadline.ts";
import { FetchError } from "./fetch_error.ts";
import type { Framing } from "./framing.ts";

/**
 * `rest` are the bytes of the body that arrived with the head. `keep` takes the connection at the end of a body of a
 * declared length that nothing follows; in all other cases it is closed.
 */
export function readResponseBody(
  connection: Connection,
  rest: Uint8Array,
  framing: Framing,
  deadline: Deadline,
  keep?: () => void,
): ReadableStream<Uint8Array> {
  let hasExtra = rest.length > 0; // bytes that are not content, as at the end of all chunked bodies
  let isFinished = false;
  const finish = () => {
    if (isFinished) return; // the connection may already have the next request
    isFinished = true;
    if (keep && framing.isDone() && !hasExtra && !deadline.signal.aborted) keep();
    else connection.close();
    deadline.clear();
  };

  /** The next bytes of the body; none only at its end. */
  async function readContent(): Promise<Uint8Array> {
    for (let bytes: Uint8Array | null = rest;; bytes = await deadline.race(connection.read())) {
      rest = new Uint8Array();
      if (bytes === null && !framing.endsByClosing) throw new FetchError("FETCH_FAILED", "The response was incomplete");
      if (bytes === null) return rest;
      const content = framing.take(bytes);
      hasExtra = content.length < bytes.length;
      if (content.length || framing.isDone()) return content;
    }
  }

  return new ReadableStream({
    start(controller) {
      if (!framing.isDone()) return;
      finish();
      controller.close();
    },
    async pull(controller) {
      try {
        const content = await readContent();
        if (content.length) controller.enqueue(content);
        if (content.length && !framing.isDone()) return;
        finish();
        controller.close();
      } catch (error) {
        finish();
        controller.error(error);
      }
    },
    cancel: finish,
  }, { highWaterMark: 0 });
}
