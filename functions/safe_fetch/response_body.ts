/** The body of a response as a stream that reads on demand and always closes the connection at its end. */
import type { Connection } from "./connection.ts";
import type { Deadline } from "./deadline.ts";
import { FetchError } from "./fetch_error.ts";
import type { Framing } from "./framing.ts";

/** `rest` are the bytes of the body that arrived with the head. */
export function readResponseBody(
  connection: Connection,
  rest: Uint8Array,
  framing: Framing,
  deadline: Deadline,
): ReadableStream<Uint8Array> {
  const finish = () => {
    connection.close();
    deadline.clear();
  };

  /** The next bytes of the body; none only at its end. */
  async function readContent(): Promise<Uint8Array> {
    for (let bytes: Uint8Array | null = rest;; bytes = await deadline.race(connection.read())) {
      rest = new Uint8Array();
      if (bytes === null && !framing.endsByClosing) throw new FetchError("FETCH_FAILED", "The response was incomplete");
      if (bytes === null) return rest;
      const content = framing.take(bytes);
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
