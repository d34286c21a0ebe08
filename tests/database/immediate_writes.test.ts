// Why the driver's writes need a patch of setImmediate, and whether they still do.
import { notStrictEqual as notEqual, strictEqual as equal } from "node:assert";
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import postgres from "postgres";

/** One message of the server. */
function message(type: string, body = ""): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + body.length);
  return type + length.toString("latin1") + body;
}

const READY = message("Z", "I");

/** A server without a network that responds to each write in the same tick; "cut" closes the connection instead. */
class InstantServer extends EventEmitter {
  readyState = "open";
  #isStarted = false;

  write(sent: Uint8Array, done?: () => void): boolean {
    if (Buffer.from(sent).includes("cut")) {
      this.destroy();
      return true;
    }
    const response = this.#isStarted ? message("C", "SELECT 0\0") + READY : message("R", "\0\0\0\0") + READY;
    this.#isStarted = true;
    queueMicrotask(() => this.emit("data", Buffer.from(response, "latin1")));
    done?.();
    return true;
  }
  end() {
    this.destroy();
  }
  destroy() {
    queueMicrotask(() => this.emit("close"));
  }
}

/** Counts timers without delay that fire, one after another, during one round trip. */
async function timersPerRoundTrip(): Promise<number> {
  // deno-lint-ignore no-explicit-any -- the option is missing in the driver's types
  const sql = postgres({ max: 1, fetch_types: false, socket: () => new InstantServer() } as any);
  await sql`select`.simple(); // connects
  let timers = 0, isOver = false;
  const tick = () => {
    if (isOver) return;
    timers++;
    setTimeout(tick, 0);
  };
  setTimeout(tick, 0);
  await sql`select`.simple();
  isOver = true;
  await sql.end({ timeout: 0 });
  return timers;
}

/** The product's patch of setImmediate, and the same of local/, which imports nothing of the product. */
const PATCHES = ["functions/database/immediate_writes.ts", "local/postgres/client.ts"];

/** The error of a transaction whose connection closes; the driver then writes a rollback to no socket. */
async function errorOfLostTransaction(): Promise<string> {
  // deno-lint-ignore no-explicit-any -- the option is missing in the driver's types
  const sql = postgres({ max: 1, fetch_types: false, socket: () => new InstantServer() } as any);
  const { code } = await sql.begin((own) => own`cut`.simple()).catch((error) => error);
  await new Promise((resolve) => setTimeout(resolve)); // an uncaught error of the write would fail the test
  await sql.end({ timeout: 0 });
  return code;
}

// deno-lint-ignore no-explicit-any -- globals that Deno gives to npm packages only
const globals = globalThis as any;

for (const patch of PATCHES) {
  Deno.test({
    name: `with ${patch} the driver sends a statement without a timer, and a lost connection ends no process`,
    async fn() {
      // When this fails, setImmediate is no longer a timer: remove the patches if the driver also checks its socket
      // before it writes
      notEqual(await timersPerRoundTrip(), 0);
      await import(`../../${patch}`);
      equal(await timersPerRoundTrip(), 0);
      equal(await orderOfCalls(), "microtask,immediate");
      equal(await errorOfLostTransaction(), "CONNECTION_CLOSED");
      delete globals.setImmediate; // restores Deno's own
      delete globals.clearImmediate;
    },
    sanitizeOps: false, // the driver's own timers
    sanitizeResources: false,
  });
}

/** Whether other callers of setImmediate get the runtime's own. */
async function orderOfCalls(): Promise<string> {
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  globals.setImmediate((text: string) => resolve(void order.push(text)), "immediate");
  globals.clearImmediate(globals.setImmediate(() => order.push("cleared")));
  queueMicrotask(() => order.push("microtask"));
  await promise;
  return order.join();
}
