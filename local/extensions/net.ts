/**
 * Stands in for pg_net's worker: sends the requests of `net.http_request_queue` after their transaction has committed,
 * and records responses and failures in `net._http_response`.
 */
import postgres from "../postgres/client.ts";
import { coalesceRuns } from "./coalesce_runs.ts";

interface Request {
  id: string;
  method: string;
  url: string;
  headers: Record<string, unknown> | null;
  body: Uint8Array | null;
  timeout_milliseconds: number;
}

interface ResponseRow {
  status_code?: number;
  content_type?: string | null;
  headers?: Record<string, string>;
  content?: string | null;
  timed_out: boolean;
  error_msg?: string;
}

const MAX_CONCURRENT = 50;
/** pg_net on the platform hangs on a longer body. The stack reports an error instead. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

export async function startNet(options: { adminUrl: string }) {
  const sql = postgres(options.adminUrl, {
    max: 3,
    onnotice: () => {},
    connection: { application_name: "pg_net 0.20.3" },
  });
  const sending = new Set<Promise<void>>();
  const stop = new AbortController();

  async function work() {
    await sql`delete from net._http_response where created < now() - interval '6 hours'`.catch(emptyIfUndefined);
    while (!stop.signal.aborted && sending.size < MAX_CONCURRENT) {
      const requests = await sql<Request[]>`
        delete from net.http_request_queue where id = any (array(  -- evaluated once; a semi-join could repeat the limit
          select id from net.http_request_queue order by id limit ${
        MAX_CONCURRENT - sending.size
      } for update skip locked))
        returning id, method, url, headers, body, timeout_milliseconds`.catch(emptyIfUndefined);
      if (!requests.length) return;
      for (const request of requests) {
        const sent = sendRequest(request, stop.signal).then((response) => record(request.id, response)).catch(onError)
          .finally(() => {
            sending.delete(sent);
            wake();
          });
        sending.add(sent);
      }
    }
  }

  async function record(id: string, response: ResponseRow) {
    const row = { status_code: null, content_type: null, content: null, error_msg: null, ...response };
    await sql`insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
      values (${id}, ${row.status_code}, ${row.content_type}, ${response.headers ? sql.json(response.headers) : null},
        ${row.content}, ${row.timed_out}, ${row.error_msg})`.catch(emptyIfUndefined);
  }

  const onError = (error: unknown) => {
    if (!stop.signal.aborted) console.error("net:", error);
  };
  const wake = coalesceRuns(work, onError);
  const listening = await sql.listen("pg_net", wake, wake);

  return {
    /** Stops reading the queue, aborts the requests in flight and records them as failed. */
    async close() {
      await listening.unlisten().catch(() => {});
      stop.abort(new Error("The server shut down"));
      await Promise.all(sending);
      await sql.end({ timeout: 1 });
    },
  };
}

/** Sends a request. A failure is also a response, with libcurl's message where it has one. */
async function sendRequest(request: Request, stop: AbortSignal): Promise<ResponseRow> {
  const timeout = AbortSignal.timeout(request.timeout_milliseconds);
  const startedAt = performance.now();
  try {
    if (request.body && request.body.length > MAX_BODY_BYTES) {
      throw new Error(
        `The body has ${request.body.length} bytes; pg_net on the platform hangs on more than ${MAX_BODY_BYTES}`,
      );
    }
    if (!/^https?:/i.test(request.url)) throw new Error("Unsupported protocol");
    const response = await fetch(request.url, {
      method: request.method.toUpperCase(),
      headers: [
        ...Object.entries(request.headers ?? {}).filter(([, value]) => value !== null)
          .map(([name, value]): [string, string] => [name, String(value)]),
        ["user-agent", "pg_net/0.20.3"],
      ],
      body: request.body,
      signal: AbortSignal.any([timeout, stop]),
    });
    return {
      status_code: response.status,
      content_type: response.headers.get("content-type"),
      headers: Object.fromEntries(response.headers),
      content: await text(response),
      timed_out: false,
    };
  } catch (error) {
    if (!timeout.aborted || stop.aborted) return { timed_out: false, error_msg: describeError(error) };
    const total = (performance.now() - startedAt).toFixed(6);
    return {
      timed_out: true,
      error_msg: `Timeout of ${request.timeout_milliseconds} ms reached. Total time: ${total} ms`,
    };
  }
}

/** Reads a body up to the first zero byte, which a text column cannot store. An empty one is null, as in pg_net. */
async function text(response: Response): Promise<string | null> {
  const decoder = new TextDecoder();
  let content = "";
  let length = 0;
  for await (const chunk of response.body ?? []) {
    if ((length += chunk.length) > MAX_RESPONSE_BYTES) throw new Error("Maximum file size exceeded");
    content += decoder.decode(chunk, { stream: true });
  }
  return (content + decoder.decode()).split("\0", 1)[0] || null;
}

function describeError(error: unknown): string {
  const message = (error as Error).message;
  if (/dns error|failed to lookup/i.test(message)) return "Couldn't resolve host name";
  if (/connection refused|tcp connect error|unreachable/i.test(message)) return "Couldn't connect to server";
  if (/invalid url/i.test(message)) return "URL using bad/illegal format or missing URL";
  return message;
}

/** For `catch`: a database without the extension has no rows. Rethrows other errors. */
function emptyIfUndefined(error: { code?: string }): [] {
  if (error.code === "42P01" || error.code === "3F000") return [];
  throw error;
}
