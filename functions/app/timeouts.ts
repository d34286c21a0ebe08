/**
 * How long the parts of a request may take, in milliseconds. The platform ends a request after 150 s in all: a body and
 * its storing, a copy, a removal and the statements between them fit below that.
 */
export const BUDGET = {
  /** For a body to come: 5 MB over a bad line, and too short to keep buffers by trickling. */
  body: 90_000,
  /** For the rest of a refused body to pass, and for its client to be silent meanwhile. */
  refusedBody: 10_000,
  refusedSilence: 2000,
  /** To store bytes that are here; and those that are still coming, which takes as long as they do. */
  storeBytes: 30_000,
  storeStream: 110_000,
  copy: 90_000,
  discard: 10_000,
  signUpload: 10_000,
  /** Until storage answers with the head of an object. */
  open: 10_000,
};
