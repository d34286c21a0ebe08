/**
 * How long the parts of a request may take, in milliseconds. The platform ends a request after 150 s in all: a body and
 * its storing, a copy, a removal and the statements between them fit below that.
 */
export const TIMEOUTS_MS = {
  /** For a body to come: 5 MB over a bad line, and too short to keep buffers by trickling. */
  readBody: 90_000,
  /** For the rest of a refused body to pass, and for its client to be silent meanwhile. */
  drainTotal: 10_000,
  drainIdle: 2000,
  /** To store bytes that are here; and those that are still coming, which takes as long as they do. */
  putBytes: 30_000,
  putStream: 110_000,
  copyObject: 90_000,
  deleteObjects: 10_000,
  createSignedUploadUrl: 10_000,
  /** Until storage answers with the head of an object. */
  getObject: 10_000,
};
