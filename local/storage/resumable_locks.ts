// One request at a time per upload. MemoryLocker of @tus/server polls with setImmediate, which postgres_client.ts makes a
// microtask, so that it would block the event loop; this locker waits for the owner's release.
import { ERRORS, type Locker } from "@tus/server";

const LOCK_TIMEOUT_MS = 5000;

export function createLocker(): Locker {
  const owners = new Map<string, { released: PromiseWithResolvers<void>; requestRelease: () => void }>();
  return {
    newLock: (id) => ({
      async lock(_signal, requestRelease) {
        let timer: number | undefined;
        const timeout = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(ERRORS.ERR_LOCK_TIMEOUT), LOCK_TIMEOUT_MS);
        });
        try {
          for (let owner; (owner = owners.get(id));) {
            owner.requestRelease();
            await Promise.race([owner.released.promise, timeout]);
          }
        } finally {
          clearTimeout(timer);
        }
        owners.set(id, { released: Promise.withResolvers<void>(), requestRelease });
      },
      unlock() {
        const owner = owners.get(id);
        owners.delete(id);
        owner?.released.resolve();
        return Promise.resolve();
      },
    }),
  };
}
