// The rest of a rejected upload.
import { deepStrictEqual as same } from "node:assert";
import { readableBody } from "../../../local/storage/request_body.ts";

const requestOf = (body: ReadableStream) => new Request("http://localhost/", { method: "POST", body });

Deno.test("a rejected slow body is read to its end", async () => {
  const now = Date.now;
  let elapsed = 0, left = 10;
  const body = new ReadableStream({
    pull(controller) {
      elapsed += 1000;
      if (left-- > 0) controller.enqueue(new Uint8Array(1));
      else controller.close();
    },
  }, { highWaterMark: 0 });
  Date.now = () => now() + elapsed;
  try {
    await readableBody(requestOf(body)).drain();
  } finally {
    Date.now = now;
  }
  same(left, -1);
});

Deno.test("a rejected body is abandoned when the client pauses", async () => {
  let isLeft = false;
  const body = new ReadableStream({ cancel: () => void (isLeft = true) });
  await readableBody(requestOf(body), 1).drain();
  same(isLeft, true);
});
