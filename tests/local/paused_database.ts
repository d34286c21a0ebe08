// A proxy between a service and the stack's database, which pauses the service's messages until the test releases them.
import { startTcpProxy, type TcpProxy } from "../tcp_proxy.ts";

export interface Pause {
  /** Whether something was sent, and waits here. */
  isReached(): boolean;
  release(): void;
}

export interface PausedDatabase extends TcpProxy {
  /** Pauses the data that connections of this application_name send from now on. */
  pause(application: string): Pause;
  /** Releases what a failed test left paused. */
  releaseAll(): void;
}

export function startPausedDatabase(dbUrl: string): PausedDatabase {
  const pauses = new Map<string, { reach(): void; released: Promise<void>; release(): void }>();
  const proxy = startTcpProxy(dbUrl, () => {
    let application: string | undefined;
    return async (sent) => {
      application ??= /application_name\0([^\0]+)/.exec(new TextDecoder("latin1").decode(sent))?.[1];
      const pause = pauses.get(application ?? "");
      pause?.reach();
      await pause?.released;
    };
  });
  const releaseAll = () => {
    for (const { release } of pauses.values()) release();
    pauses.clear();
  };
  return {
    ...proxy,
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
    releaseAll,
    async [Symbol.asyncDispose]() {
      releaseAll();
      await proxy[Symbol.asyncDispose]();
    },
  };
}
