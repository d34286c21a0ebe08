/** Calls of Stripe's API. The package is loaded with the first call, because most isolates make none. */
import type Stripe from "stripe";
import { env, requireVariable } from "../runtime/env.ts";
import { ApiError, excerpt } from "../runtime/api_error.ts";

/** For each try of a request. After a TimeCheck, a route or job makes four requests at most before the next one. */
const TIMEOUT_MS = 8000;
/** Tries after the first, with the same idempotency key: after a lost connection, a 409 or a 5xx. */
const MAX_RETRIES = 1;

/** Throws if the caller should begin nothing more, so that it ends well below the platform's 150 s. */
export type TimeCheck = () => void;

/** The effect of a variable of Stripe's that is not set. */
export const UNAVAILABLE = "billing is unavailable";

let client: Promise<Stripe> | undefined;

async function connect(): Promise<Stripe> {
  const key = requireVariable("STRIPE_SECRET_KEY", UNAVAILABLE);
  const { default: Stripe } = await import("stripe");
  const url = env.STRIPE_API_URL ? new URL(env.STRIPE_API_URL) : undefined;
  return new Stripe(key, {
    ...url && { host: url.hostname, port: url.port, protocol: url.protocol === "http:" ? "http" : "https" },
    timeout: TIMEOUT_MS,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
  });
}

/**
 * Of requests that Stripe did not run, because of the API key, a lock or a rate limit, or that may still run behind a
 * gateway's error. https://docs.stripe.com/error-low-level
 */
const UNSAVED_STATUSES = [401, 403, 409, 429, 502, 503, 504];

interface CallOptions {
  /** Errors then omit Stripe's text, which may quote the request, from logs and dead letters. */
  hasPersonalData?: boolean;
}

/** A request that Stripe rejected, or to which it gave no answer. The message is for the log and dead letters. */
export class StripeFailure extends Error {
  /** Undefined without a response. */
  readonly status?: number;
  readonly code?: string;
  /** The parameter that Stripe rejected. */
  readonly param?: string;
  /** After a 429. */
  readonly retryAfterSeconds?: number;
  readonly #isReplay: boolean;

  constructor(error: Stripe.errors.StripeError, { hasPersonalData = false }: CallOptions = {}) {
    const { statusCode, code, param, type, requestId, headers } = error;
    const outcome = statusCode ? `responded ${statusCode} ${code ?? type}` : "did not respond";
    const text = hasPersonalData ? "" : `: ${error.message}`;
    super(excerpt(`Stripe ${outcome}${text}${requestId ? ` (${requestId})` : ""}`));
    this.status = statusCode;
    this.code = code ?? type;
    this.param = param;
    this.#isReplay = headers?.["idempotent-replayed"] === "true";
    if (statusCode === 429) this.retryAfterSeconds = Number(headers?.["retry-after"]) || 1;
  }

  /**
   * Whether Stripe replays this response to its idempotency key, so that another try needs a new key. It saves the
   * response of each request that it ran, errors included.
   */
  get isAnswer(): boolean {
    return this.#isReplay || this.status !== undefined && !UNSAVED_STATUSES.includes(this.status);
  }

  /** Whether the same request will never succeed. */
  get isRejection(): boolean {
    return this.isAnswer && this.status! < 500;
  }

  /** Whether the customer was deleted, or the API key is of another account or mode. */
  get isMissingCustomer(): boolean {
    return this.code === "resource_missing" && this.param === "customer";
  }
}

/** Runs a call; its errors are StripeFailures. */
export async function callStripe<T>(work: (stripe: Stripe) => Promise<T>, options?: CallOptions): Promise<T> {
  const stripe = await (client ??= connect().catch((error) => {
    client = undefined;
    throw error;
  }));
  try {
    return await work(stripe);
  } catch (error) {
    if (!(error instanceof Error && "rawType" in error)) throw error; // the errors' classes are not loaded here
    throw new StripeFailure(error as Stripe.errors.StripeError, options);
  }
}

/** Returns if an error means that this customer was deleted at Stripe, which keeps it retrievable. Else rethrows it. */
export async function requireDeletedCustomer(error: unknown, customer: string): Promise<void> {
  if (!(error instanceof StripeFailure && error.isMissingCustomer)) throw error;
  const found = await callStripe((stripe) => stripe.customers.retrieve(customer)).catch((failure) => {
    // another account or mode: what its API key does not find may be charged all the same
    throw failure instanceof StripeFailure && failure.isRejection ? error : failure;
  });
  if (!found.deleted) throw error;
}

/** Lists objects of a customer; a deleted customer has none. */
export async function listOfCustomer<T>(
  customer: string,
  work: (stripe: Stripe) => Promise<Stripe.ApiList<T>>,
): Promise<T[]> {
  try {
    return (await callStripe(work)).data;
  } catch (error) {
    await requireDeletedCustomer(error, customer);
    return [];
  }
}

/** Turns a StripeFailure into the response of a route: 503 if trying again can help, else a logged 500. */
export function toApiError(error: unknown): unknown {
  if (!(error instanceof StripeFailure)) return error;
  const isTemporary = !error.isRejection && error.status !== 401 && error.status !== 403;
  return isTemporary
    ? new ApiError(503, "The payment service is unavailable; try again later", { cause: error })
    : new ApiError(500, "The payment service rejected the request", { cause: error });
}
