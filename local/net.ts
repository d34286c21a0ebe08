/**
 * What pg_net's worker does on the platform: sends the requests of `net.http_request_queue` once their transaction has
 * committed, and records the answers, good or bad, in `net._http_response`.
 */
import postgres from "./postgres_client.ts";
import { coalesceRuns } from "./coalesce_runs.ts";

interface Request {
  id: string;
  method: string;
  url: string;
  headers: Record<string, unknown> | null;
  body: Uint8Array | null;
  timeout_milliseconds: number;
}

interface Answer {
  status_code?: number;
  content_type?: string | null;
  headers?: Record<string, string>;
  content?: string | null;
  timed_out: boolean;
  error_msg?: string;
}

const AT_ONCE = 50;
/** On the platform pg_net hangs on a longer body (PLATFORM.md): here it is said. */
const LONGEST_BODY = 64 * 1024;
const LONGEST_ANSWER = 8 * 1024 * 1024;

export async function startNet(options: { adminUrl: string }) {
  const sql = postgres(options.adminUrl, {
    max: 3,
    onnotice: () => {},
    connection: { application_name: "pg_net 0.20.3" },
  });
  const sending = new Set<Promise<void>>();
  const stop = new AbortController();

  async function work() {
    await sql`delete from net._http_response where created < now() - interval '6 hours'`.catch(unlessAbsent);
    while (!stop.signal.aborted && sending.size < AT_ONCE) {
      const requests = await sql<Request[]>`
        delete from net.http_request_queue where id = any (array(  -- an array is made once; a semi-join could repeat the limit
          select id from net.http_request_queue order by id limit ${AT_ONCE - sending.size} for update skip locked))
        returning id, method, url, headers, body, timeout_milliseconds`.catch(unlessAbsent);
      if (!requests.length) return;
      for (const request of requests) {
        const sent = answerTo(request, stop.signal).then((answer) => record(request.id, answer)).catch(failed)
          .finally(() => {
            sending.delete(sent);
            wake();
          });
        sending.add(sent);
      }
    }
  }

  async function record(id: string, answer: Answer) {
    const row = { status_code: null, content_type: null, content: null, error_msg: null, ...answer };
    await sql`insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
      values (${id}, ${row.status_code}, ${row.content_type}, ${answer.headers ? sql.json(answer.headers) : null},
        ${row.content}, ${row.timed_out}, ${row.error_msg})`.catch(unlessAbsent);
  }

  const failed = (error: unknown) => {
    if (!stop.signal.aborted) console.error("net:", error);
  };
  const wake = coalesceRuns(work, failed);
  const listening = await sql.listen("pg_net", wake, wake);

  return {
    /** Takes nothing more from the queue; what is under way is recorded as broken off. */
    async close() {
      await listening.unlisten().catch(() => {});
      stop.abort(new Error("The server shut down"));
      await Promise.all(sending);
      await sql.end({ timeout: 1 });
    },
  };
}

/** Sends one request. Whatever goes wrong is an answer too, in libcurl's words where it has them. */
async function answerTo(request: Request, stop: AbortSignal): Promise<Answer> {
  const timeout = AbortSignal.timeout(request.timeout_milliseconds);
  const began = performance.now();
  try {
    if (request.body && request.body.length > LONGEST_BODY) {
      throw new Error(`The body has ${request.body.length} bytes; over ${LONGEST_BODY} pg_net hangs on the platform`);
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
    if (!timeout.aborted || stop.aborted) return { timed_out: false, error_msg: reason(error) };
    const total = (performance.now() - began).toFixed(6);
    return {
      timed_out: true,
      error_msg: `Timeout of ${request.timeout_milliseconds} ms reached. Total time: ${total} ms`,
    };
  }
}

/** Up to the first zero byte, which a text column cannot hold; null when there is none, as pg_net has it. */
async function text(response: Response): Promise<string | null> {
  const decoder = new TextDecoder();
  let content = "";
  let length = 0;
  for await (const chunk of response.body ?? []) {
    if ((length += chunk.length) > LONGEST_ANSWER) throw new Error("Maximum file size exceeded");
    content += decoder.decode(chunk, { stream: true });
  }
  return (content + decoder.decode()).split("\0", 1)[0] || null;
}

function reason(error: unknown): string {
  const message = (error as Error).message;
  if (/dns error|failed to lookup/i.test(message)) return "Couldn't resolve host name";
  if (/connection refused|tcp connect error|unreachable/i.test(message)) return "Couldn't connect to server";
  if (/invalid url/i.test(message)) return "URL using bad/illegal format or missing URL";
  return message;
}

/** Nothing to do in a database without the extension; every other error counts. */
function unlessAbsent(error: { code?: string }): [] {
  if (error.code === "42P01" || error.code === "3F000") return [];
  throw error;
}
