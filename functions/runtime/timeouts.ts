/**
 * Time limits of a request's steps, in milliseconds. The platform ends a request after 150 s: reading and storing a
 * body, a copy, a deletion and the statements between them stay below that.
 */
export const TIMEOUTS_MS = {
  /** Reading a body: enough for 5 MB over a slow line, too short to occupy buffers by trickling. */
  readBody: 90_000,
  /** Reading JSON or a form, which is short. */
  readJson: 30_000,
  /** Discarding the rest of a rejected body: in all, and between two chunks. */
  drainTotal: 10_000,
  drainIdle: 2000,
  /** Storing buffered bytes; storing a stream, which takes as long as the client sends. */
  putBytes: 30_000,
  putStream: 110_000,
  copyObject: 90_000,
  deleteObjects: 10_000,
  createSignedUploadUrl: 10_000,
  /** Until storage sends the head of an object. */
  getObject: 10_000,
  /** Reading a range of an object. */
  readRange: 10_000,
};
