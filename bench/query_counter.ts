// A proxy between the functions and the database that counts round trips and collects the statements of the server,
// including those inside functions, from the notices of auto_explain.

export interface QueryCounterProxy extends AsyncDisposable {
  /** For SUPABASE_DB_URL. */
  url: string;
  /** Round trips and statements since the last call, innermost first. */
  take(): { roundTrips: number; statements: string[] };
}

/** `url` is of a database with AUTO_EXPLAIN_SETTINGS. */
export function startQueryCounter(url: string): QueryCounterProxy {
  const { hostname, port } = new URL(url);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  let roundTrips = 0, statements: string[] = [];

  const accepting = (async () => {
    for await (const client of listener) {
      const server = await Deno.connect({ hostname, port: Number(port) });
      open.add(client).add(server);
      client.readable.pipeTo(server.writable).catch(() => {});
      server.readable.pipeThrough(readMessages(count)).pipeTo(client.writable).catch(() => {});
    }
  })();

  function count(type: string, body: Uint8Array) {
    if (type === "Z") roundTrips++;
    if (type !== "N") return;
    const [, plan] = /(?:^|\0)Mduration: [^{]*(\{[^\0]*)/.exec(new TextDecoder().decode(body)) ?? [];
    if (plan) statements.push(JSON.parse(plan)["Query Text"].replace(/\s+/g, " ").trim());
  }

  return {
    url: Object.assign(new URL(url), { host: `127.0.0.1:${listener.addr.port}` }).href,
    take() {
      const taken = { roundTrips, statements };
      roundTrips = 0, statements = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting.catch(() => {});
      for (const connection of open) {
        try {
          connection.close();
        } catch { /* its other end was first */ }
      }
    },
  };
}

/** Forwards the server's messages and calls `see` with each complete one (type, length, body). */
function readMessages(see: (type: string, body: Uint8Array) => void) {
  let kept = new Uint8Array();
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      const bytes = new Uint8Array(kept.length + chunk.length);
      bytes.set(kept), bytes.set(chunk, kept.length);
      const view = new DataView(bytes.buffer);
      let at = 0;
      while (bytes.length - at >= 5) {
        const end = at + 1 + view.getUint32(at + 1);
        if (end > bytes.length) break;
        see(String.fromCharCode(bytes[at]), bytes.subarray(at + 5, end));
        at = end;
      }
      kept = bytes.slice(at);
    },
  });
}

/** For `alter role … set` by a superuser: its new sessions report every statement. */
export const AUTO_EXPLAIN_SETTINGS = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_level": "notice",
  "auto_explain.log_format": "json",
  client_min_messages: "notice",
};
