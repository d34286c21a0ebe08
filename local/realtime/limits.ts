/** The platform's limits of a project, and those of this stack where the platform has none. */
import { createRate } from "./rate.ts";

export const MAX_CLIENTS = 200;
export const MAX_CHANNELS_PER_CLIENT = 100;
export const MAX_FRAME_BYTES = 5_000_000;
export const MAX_BODY_BYTES = 8_000_000;
export const MAX_PAYLOAD_LENGTH = 3_000_500;
export const MAX_PRESENCE_CALLS = 5, PRESENCE_WINDOW_MS = 30_000;
export const MAX_REPLAYED = 25;

/** Limits of this stack: a client's unread bytes, its unprocessed messages, and what its channels keep of joins. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
export const MAX_PENDING_BYTES = 16 * 1024 * 1024, MAX_PENDING_MESSAGES = 10_000;
export const MAX_KEPT_LENGTH = 1024 * 1024;
/** The subscriptions of a channel, and the token that it keeps. */
export const MAX_SUBSCRIPTIONS = 100, MAX_TOKEN_LENGTH = 16_384;
/** The presence of all topics together. */
export const MAX_STATE_LENGTH = 32 * 1024 * 1024;

export type Rates = ReturnType<typeof createRates>;

export const createRates = () => ({
  joins: createRate(100),
  events: createRate(100),
  presence: createRate(1000),
});

/** Whether a broadcast's payload is within the limit. */
export const isWithinLimit = (payload: unknown) =>
  (payload instanceof Uint8Array ? payload.length : JSON.stringify(payload ?? null).length) <= MAX_PAYLOAD_LENGTH;
