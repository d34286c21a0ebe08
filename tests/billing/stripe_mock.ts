// stripe-mock, Stripe's own server that checks requests against the OpenAPI description of its API.
// https://github.com/stripe/stripe-mock
import assert from "node:assert/strict";
import { join } from "node:path";
import { spawnChild } from "../../local/host/child_process.ts";
import { freePort } from "../../local/host/ports.ts";
import { repository } from "../../local/host/project.ts";
import { sourceFiles } from "../source_files.ts";
import { waitFor } from "../wait_for.ts";
import { type PeerRequest, STRIPE_KEY } from "./stripe_peer.ts";
import type { Params } from "./stripe_wire.ts";

const VERSION = "v0.203.0";
const folder = join(repository, `.cache/stripe-mock-${VERSION}`), binary = join(folder, "stripe-mock");
const BUILD_MS = 5 * 60_000;

/** Builds it with Go, once. Returns why that is impossible. */
async function build(): Promise<string | undefined> {
  if (await Deno.stat(binary).then(() => true, () => false)) return;
  const { GOFLAGS: _, ...env } = Deno.env.toObject();
  try {
    const { success, stderr } = await new Deno.Command("go", {
      args: ["install", `github.com/stripe/stripe-mock@${VERSION}`],
      clearEnv: true,
      env: { ...env, GOBIN: folder },
      signal: AbortSignal.timeout(BUILD_MS),
    }).output();
    if (success) return;
    return `go did not build it: ${new TextDecoder().decode(stderr).trim().split("\n").at(-1)}`;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "go is not installed" : String(error);
  }
}

/** The parameters as the API version of stripe-mock, which is before the client's, names them. */
function inFormerVersion({ billing_cycle_anchor: anchor, ...params }: Params): Params {
  if (anchor === undefined) return params;
  assert.deepEqual(anchor, { type: "now" });
  return { ...params, billing_cycle_anchor: "now" };
}

async function startStripeMock(): Promise<AsyncDisposable & { send(request: PeerRequest): Promise<string> }> {
  const url = `http://127.0.0.1:${freePort()}`, address = new URL(url).host;
  const server = spawnChild(binary, ["-http-addr", address], { stdout: "null", stderr: "null" }, {
    signal: "SIGTERM",
    seconds: 5,
    lastSignal: "SIGKILL",
  });
  const isReady = () => fetch(url).then(async (response) => (await response.body?.cancel(), true), () => false);
  await waitFor("stripe-mock", isReady);
  return {
    /** The error, or an empty text. */
    async send({ method, path, params, key, version }) {
      const form = new URLSearchParams(flatten(inFormerVersion(params))), isPost = method === "POST";
      const response = await fetch(url + path + (isPost ? "" : `?${form}`), {
        method,
        body: isPost ? form : undefined,
        headers: {
          authorization: `Bearer ${STRIPE_KEY}`,
          ...key && { "idempotency-key": key },
          ...version && { "stripe-version": version },
        },
      });
      const body = await response.json();
      return response.ok ? "" : `${response.status} ${body.error.message}`;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** `a[b]=1&c[0][d]=2`, as the client sends it. */
function flatten(params: Params, parent?: string): [name: string, value: string][] {
  return Object.entries(params).flatMap(([key, value]) => {
    const name = parent === undefined ? key : `${parent}[${key}]`;
    return typeof value === "string" ? [[name, value] as [string, string]] : flatten(value, name);
  });
}

const routeOf = ({ method, path }: PeerRequest) =>
  `${method} ${path.replace(/\/\w+_\w+(?=\/|$)/g, (part) => /\d|[A-Z]/.test(part) ? "/:id" : part)}`;

/** What makes a request another one: its route, parameters and keywords, without ids and numbers. */
const shapeOf = (request: PeerRequest) =>
  [
    routeOf(request),
    ...flatten(request.params).map(([name, value]) => `${name}=${/^[a-z_]+$/.test(value) ? value : "…"}`).sort(),
  ].join(" ");

/** The calls in the sources of functions/billing, such as stripe.invoices.voidInvoice. */
const callsInSources = () =>
  new Set(
    sourceFiles(["functions/billing"], /\.ts$/).flatMap(({ text }) => text.match(/\bstripe(\.\w+)+(?=\()/g) ?? []),
  );

/**
 * Asserts that the requests contain each call of functions/billing, and that stripe-mock accepts one request of each
 * shape. Returns the number of shapes, or why there is no stripe-mock.
 */
export async function assertAccepted(requests: PeerRequest[]): Promise<number | string> {
  const routes = [...new Set(requests.map(routeOf))];
  assert.equal(routes.length, callsInSources().size, `${routes.join(", ")} of ${[...callsInSources()].join(", ")}`);
  const problem = await build();
  if (problem) return problem;
  await using mock = await startStripeMock();
  const unknown = { method: "POST", path: "/v1/customers", params: { nickname: "x" }, key: null, version: null };
  assert.match(await mock.send(unknown), /^400 /, "stripe-mock rejects unknown parameters");
  const shapes = new Map(requests.map((request) => [shapeOf(request), request])), rejected: string[] = [];
  for (const [shape, request] of shapes) {
    const error = await mock.send(request);
    if (error) rejected.push(`${shape}: ${error}`);
  }
  assert.deepEqual(rejected, []);
  return shapes.size;
}
