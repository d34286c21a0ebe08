// The peer's HTTP server: the API key, idempotency keys, and faults on demand.
import { cutOff, startHttpServer } from "../http_server.ts";
import { decodeForm, type Params, type Saved, savedError, toResponse, WireError } from "./stripe_wire.ts";

export const STRIPE_KEY = "sk_test_peer";

/** What the peer does with a request instead of responding normally: before it runs the request, or after. */
export type Fault =
  | "lost_before"
  | "lost_after"
  /** The connection is lost, and the request runs with the next call of `runLate`. */
  | "late"
  /** The client meets its time limit. */
  | "hang_after"
  | "rate_limit"
  | "lock"
  /** A 500, which Stripe saves for the idempotency key. */
  | "error_before"
  | "error_after"
  /** A 502 or 503 of a gateway, which no key saves. */
  | "gateway_before"
  | "gateway_after"
  | "unavailable_before"
  | "unavailable_after"
  | "unauthorized";

export interface PeerRequest {
  method: string;
  path: string;
  params: Params;
  key: string | null;
  version: string | null;
}

// the client does not retry it, because the same key would replay it
const unknownError = new WireError(500, "api_error", "An unknown error occurred", {}, {
  "stripe-should-retry": "false",
});
const errors: Partial<Record<Fault, WireError>> = {
  unauthorized: new WireError(401, "invalid_request_error", "Invalid API Key provided: sk_test_****eer"),
  lock: new WireError(409, "invalid_request_error", "This object cannot be accessed right now", {
    code: "lock_timeout",
  }),
  rate_limit: new WireError(429, "invalid_request_error", "Too many requests", { code: "rate_limit" }, {
    "retry-after": "7",
  }),
  error_before: unknownError,
  error_after: unknownError,
  unavailable_before: new WireError(503, "api_error", "Stripe is currently unavailable"),
  unavailable_after: new WireError(503, "api_error", "Stripe is currently unavailable"),
};
const badGateway = () =>
  new Response("<html>502 Bad Gateway</html>", { status: 502, headers: { "content-type": "text/html" } });

export function startTransport(run: (request: PeerRequest) => Saved) {
  const apiKeys = new Set([STRIPE_KEY]);
  const keys = new Map<string, { request: string; response?: Saved }>();
  const requests: PeerRequest[] = [];
  let late: PeerRequest[] = [];
  let chooseFault: (request: PeerRequest) => Fault | undefined = () => undefined;

  /** The response to an idempotency key that was used before. */
  function replay(request: PeerRequest): Saved | undefined {
    const entry = request.key === null ? undefined : keys.get(request.key);
    if (!entry) return undefined;
    if (entry.request !== textOf(request)) {
      const message =
        "Keys for idempotent requests can only be used with the same parameters they were first used with.";
      return savedError(new WireError(400, "idempotency_error", message));
    }
    if (!entry.response) {
      const message = "There is currently another in-progress request using this Idempotent Key";
      return savedError(new WireError(409, "idempotency_error", message, { code: "idempotency_key_in_use" }));
    }
    return { ...entry.response, headers: { ...entry.response.headers, "idempotent-replayed": "true" } };
  }
  const textOf = ({ method, path, params }: PeerRequest) => JSON.stringify([method, path, params]);

  /** Saves what Stripe responds to a key, errors included. */
  function save(request: PeerRequest, response?: Saved) {
    if (request.key !== null) keys.set(request.key, { request: textOf(request), response });
    return response;
  }

  async function respond(request: PeerRequest, fault: Fault | undefined): Promise<Response> {
    const error = fault && errors[fault];
    if (fault === "unauthorized" || fault === "lock" || fault === "rate_limit" || fault === "unavailable_before") {
      return toResponse(savedError(error!));
    }
    if (fault === "lost_before") return cutOff();
    if (fault === "gateway_before") return badGateway();
    let response = replay(request);
    if (!response) {
      save(request); // a concurrent request with this key finds it in progress
      await Promise.resolve();
      if (fault === "late") {
        late.push(request);
        return cutOff();
      }
      response = fault === "error_before" ? savedError(error!) : run(request);
      if (fault === "error_after") response = savedError(error!);
      save(request, response);
    }
    if (fault === "lost_after" || fault === "late") return cutOff();
    if (fault === "gateway_after") return badGateway();
    if (fault === "unavailable_after") return toResponse(savedError(error!));
    if (fault === "hang_after") await new Promise<void>(() => {});
    return toResponse(response);
  }

  const server = startHttpServer(async (http) => {
    const url = new URL(http.url), body = await http.text();
    const request: PeerRequest = {
      method: http.method,
      path: url.pathname,
      params: decodeForm(http.method === "POST" ? body : url.search.slice(1)),
      key: http.headers.get("idempotency-key"),
      version: http.headers.get("stripe-version"),
    };
    requests.push(request);
    const fault = chooseFault(request);
    const apiKey = http.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    return await respond(request, apiKeys.has(apiKey) ? fault : "unauthorized");
  });

  return {
    url: server.url,
    /** The keys that it accepts. */
    apiKeys,
    requests,
    /** Chooses the fault of each request. It may also act as the customer first, between two requests of the client. */
    setFault: (choose: typeof chooseFault) => chooseFault = choose,
    /** Runs the requests whose client has given up on them; true if there were any. */
    runLate(isChosen: (request: PeerRequest) => boolean = () => true): boolean {
      const chosen = late.filter(isChosen);
      late = late.filter((request) => !chosen.includes(request));
      for (const request of chosen) save(request, run(request));
      return chosen.length > 0;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
