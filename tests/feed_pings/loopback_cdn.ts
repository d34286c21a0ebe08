// A CDN on the loopback interface: a caching proxy in front of an origin, with the purge APIs of Fastly and Cloudflare.
import { type HttpServer, startHttpServer } from "../http_server.ts";

/** The token that its purge APIs accept at first. */
export const CDN_TOKEN = "cdn-token";

interface Copy {
  keys: string[];
  /** Values of the request's headers that the response varies by. */
  variant: Record<string, string | null>;
  status: number;
  headers: [string, string][];
  body: Uint8Array;
}

type Respond = () => Response | Promise<Response>;

export interface LoopbackCdn extends HttpServer {
  /** An entry of fetch_allowed_hosts. */
  host: string;
  /** The values of cdn_purge_url by cdn_purge_format. */
  purgeUrls: Record<"fastly" | "cloudflare", string>;
  /** The tokens that the purge APIs accept. */
  tokens: Set<string>;
  /** The keys of each accepted purge. */
  purges: string[][];
  /** How many purges arrived, accepted or not. */
  attempts: number;
  /** Responds so to further purges, and does not execute them; without an argument, executes them again. */
  respondToPurges(respond?: Respond): void;
  reset(): void;
}

/** By path: where a format has its keys, the header of its token, and how many keys a request may have. */
const PURGE_APIS: Record<string, { member: string; header: [name: string, prefix: string]; maxKeys: number }> = {
  "/service/loopback/purge": { member: "surrogate_keys", header: ["fastly-key", ""], maxKeys: 256 },
  "/client/v4/zones/loopback/purge_cache": { member: "tags", header: ["authorization", "Bearer "], maxKeys: 100 },
};

/** Statuses of responses that Fastly keeps if nothing gives them a lifetime. */
const CACHEABLE_BY_DEFAULT = [200, 203, 300, 301, 302, 404, 410];
const KEY_HEADERS = ["surrogate-key", "cache-tag"];

/** Its time stands still: only a purge ends a copy. */
export function startLoopbackCdn(origin = ""): LoopbackCdn {
  const copies = new Map<string, Copy[]>();
  let respondToPurge: Respond | undefined;

  async function purge(request: Request, api: typeof PURGE_APIS[string]): Promise<Response> {
    cdn.attempts++;
    const { [api.member]: keys } = await request.json() as Record<string, string[]>;
    if (respondToPurge) return await respondToPurge();
    const [name, prefix] = api.header, authorization = request.headers.get(name) ?? "";
    if (![...cdn.tokens].some((token) => authorization === prefix + token)) {
      return new Response("wrong token", { status: 401 });
    }
    const isValid = Array.isArray(keys) && keys.length > 0 && keys.length <= api.maxKeys &&
      keys.every((key) => /^[\x21-\x2b\x2d-\x7e]{1,1024}$/.test(key));
    if (!isValid) return new Response("invalid keys", { status: 400 });
    cdn.purges.push(keys);
    for (const [url, kept] of copies) copies.set(url, kept.filter((copy) => !copy.keys.some((k) => keys.includes(k))));
    return Response.json({ success: true });
  }

  async function read(request: Request, path: string): Promise<Response> {
    const matches = ({ variant }: Copy) =>
      Object.entries(variant).every(([name, value]) => request.headers.get(name) === value);
    const known = copies.get(path)?.find(matches);
    if (known) return respond(known, "HIT");
    const headers = new Headers(request.headers);
    for (const name of ["host", "connection"]) headers.delete(name);
    const response = await fetch(`${origin}${path}`, { headers, redirect: "manual" });
    const copy: Copy = {
      keys: KEY_HEADERS.flatMap((name) => response.headers.get(name)?.split(/[ ,]+/) ?? []),
      variant: Object.fromEntries(
        (response.headers.get("vary") ?? "").split(/, */).filter(Boolean).map((
          name,
        ) => [name, request.headers.get(name)]),
      ),
      status: response.status,
      headers: [...response.headers].filter(([name]) =>
        ![...KEY_HEADERS, "content-length", "content-encoding", "connection"].includes(name)
      ),
      body: new Uint8Array(await response.arrayBuffer()),
    };
    if (mayKeep(response)) copies.set(path, [...copies.get(path) ?? [], copy]);
    return respond(copy, "MISS");
  }

  const server = startHttpServer((request) => {
    const { pathname, search } = new URL(request.url), api = PURGE_APIS[pathname];
    if (request.method === "POST") return api ? purge(request, api) : new Response(null, { status: 404 });
    return read(request, pathname + search);
  });
  const [fastly, cloudflare] = Object.keys(PURGE_APIS).map((path) => server.url + path);
  const cdn: LoopbackCdn = {
    ...server,
    host: new URL(server.url).host,
    purgeUrls: { fastly, cloudflare },
    tokens: new Set([CDN_TOKEN]),
    purges: [],
    attempts: 0,
    respondToPurges: (respond) => respondToPurge = respond,
    reset() {
      copies.clear();
      respondToPurge = undefined;
      cdn.attempts = cdn.purges.length = 0;
      cdn.tokens = new Set([CDN_TOKEN]);
    },
  };
  return cdn;
}

/** As Fastly, which honors private and lifetimes, and ignores no-store and no-cache. */
function mayKeep({ status, headers }: Response): boolean {
  const control = headers.get("cache-control") ?? "";
  const lifetime = /(?:s-maxage|max-age)=(\d+)/.exec(control)?.[1];
  if (/private/.test(control) || lifetime === "0") return false;
  return lifetime !== undefined || CACHEABLE_BY_DEFAULT.includes(status);
}

function respond({ status, headers, body }: Copy, cache: "HIT" | "MISS"): Response {
  const response = new Response([204, 304].includes(status) ? null : body, { status, headers });
  response.headers.set("x-cache", cache);
  return response;
}
