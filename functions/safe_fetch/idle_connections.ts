/** Connections that wait for the next request to the same origin: few, for a short time. */
import type { Connection, Network } from "./connection.ts";
import type { Deadline } from "./deadline.ts";
import type { Target } from "./target.ts";

export interface ReusableConnection {
  connection: Connection;
  /** As Date.now(). */
  connectedAt: number;
}

/** What two requests must have in common to use the same connection. */
interface Origin {
  target: Target;
  network?: Partial<Network>;
  reusesBuffers: boolean;
}

/** A request per consumer of the queue, and a second origin each. */
const MAX_IDLE_CONNECTIONS = 8;
/** Servers close idle connections, many after five seconds. */
const MAX_IDLE_MS = 2000;
/** After this time the name is resolved, and its addresses are checked, again. */
const MAX_AGE_MS = 60_000;

interface IdleConnection extends ReusableConnection {
  origin: Origin;
  timer: number;
}

/** In the order in which they became idle. */
const idle: IdleConnection[] = [];

/** Returns the connection to this origin that was used last, bound to the request's deadline. */
export function takeIdleConnection(origin: Origin, deadline: Deadline): ReusableConnection | undefined {
  const entry = idle.findLast((entry) => isSameOrigin(entry.origin, origin));
  if (!entry) return;
  remove(entry);
  entry.connection.bind(deadline);
  return entry;
}

/** Keeps a connection whose response has been read, or closes it when it is old. */
export function keepConnection(origin: Origin, { connection, connectedAt }: ReusableConnection): void {
  if (Date.now() - connectedAt > MAX_AGE_MS) return connection.close();
  connection.bind();
  if (idle.length === MAX_IDLE_CONNECTIONS) end(idle[0]);
  const entry = { origin, connection, connectedAt, timer: setTimeout(() => end(entry), MAX_IDLE_MS) };
  Deno.unrefTimer(entry.timer);
  idle.push(entry);
}

function end(entry: IdleConnection) {
  remove(entry);
  entry.connection.close();
}

function remove(entry: IdleConnection) {
  clearTimeout(entry.timer);
  idle.splice(idle.indexOf(entry), 1);
}

function isSameOrigin(one: Origin, other: Origin): boolean {
  return one.target.url.origin === other.target.url.origin && one.target.isListed === other.target.isListed &&
    one.network === other.network && one.reusesBuffers === other.reusesBuffers;
}
