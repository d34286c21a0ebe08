/** Streams bytes in slices. As the body of a response this is twice as fast as the bytes, which the runtime copies. */
export function toStream(bytes: Uint8Array, sliceBytes = bytes.length): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at += sliceBytes));
      if (at >= bytes.length) controller.close(); // now, because another pull costs as much as a small request
    },
  }, { highWaterMark: 0 });
}
