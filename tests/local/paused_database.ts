// A proxy between a service and the stack's database, which pauses the service's messages until the test releases them.

export interface Pause {
  /** Whether something was sent, and waits here. */
  isReached(): boolean;
  release(): void;
}

export interface PausedDatabase extends AsyncDisposable {
  /** For the service, with the user of the stack's own. */
  url: string;
  /** Holds the data that connections of this application_name send from now on. */
  pause(application: string): Pause;
  /** Releases what a failed test left held. */
  releaseAll(): void;
}

export function startPausedDatabase(dbUrl: string): PausedDatabase {
  const { hostname, port } = new URL(dbUrl);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const pauses = new Map<string, { reach(): void; released: Promise<void>; release(): void }>();
  const open = new Set<Deno.TcpConn>(), passing: Promise<unknown>[] = [];

  async function pass(client: Deno.TcpConn) {
    const server = await Deno.connect({ hostname, port: Number(port) });
    for (const end of [client, server]) open.add(end);
    let application: string | undefined;
    const close = () => [client, server].forEach((end) => open.delete(end) && end.close());
    await Promise.allSettled([
      pump(client, server, async (sent) => {
        application ??= /application_name\0([^\0]+)/.exec(new TextDecoder("latin1").decode(sent))?.[1];
        const pause = pauses.get(application ?? "");
        pause?.reach();
        await pause?.released;
      }).finally(close),
      pump(server, client, () => {}).finally(close),
    ]);
  }

  const accepting = (async () => {
    for await (const client of listener) passing.push(pass(client));
  })();
  return {
    url: Object.assign(new URL(dbUrl), { host: `127.0.0.1:${listener.addr.port}` }).href,
    pause(application) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let isReached = false;
      pauses.set(application, { reach: () => isReached = true, released: promise, release: resolve });
      return {
        isReached: () => isReached,
        release() {
          pauses.delete(application);
          resolve();
        },
      };
    },
    releaseAll() {
      for (const { release } of pauses.values()) release();
      pauses.clear();
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const end of open) end.close();
      open.clear();
      await accepting;
      await Promise.all(passing);
    },
  };
}

async function pump(from: Deno.TcpConn, to: Deno.TcpConn, see: (sent: Uint8Array) => unknown) {
  const buffer = new Uint8Array(64 * 1024);
  for (let read; (read = await from.read(buffer)) !== null;) {
    await see(buffer.subarray(0, read));
    for (let written = 0; written < read;) written += await to.write(buffer.subarray(written, read));
  }
}
