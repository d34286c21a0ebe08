/** Connections that wait for the next request to the same origin: few, for a short time. */
import type { Connection, Network } from "./connection.ts";
import type { Deadline } from "./deadline.ts";
import type { Target } from "./target.ts";

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

interface IdleConnection {
  origin: Origin;
  connection: Connection;
  timer: number;
}

/** In the order in which they became idle. */
const idle = new Set<IdleConnection>();

/** Returns the connection to this origin that was used last, bound to the request's deadline. */
export function takeIdleConnection(origin: Origin, deadline: Deadline): Connection | undefined {
  const entry = [...idle].findLast((entry) => isSameOrigin(entry.origin, origin));
  if (!entry) return;
  remove(entry);
  entry.connection.bind(deadline);
  return entry.connection;
}

/**
 * Keeps a connection whose response has been read, unless it is old. Closes it when the peer does, and when the peer
 * sends anything, which could pass for the next response.
 */
export function keepConnection(origin: Origin, connection: Connection): void {
  const leftMs = Math.min(MAX_IDLE_MS, connection.connectedAt + MAX_AGE_MS - Date.now());
  if (leftMs <= 0) return connection.close();
  const [oldest] = idle;
  if (idle.size === MAX_IDLE_CONNECTIONS) end(oldest);
  const entry = { origin, connection, timer: setTimeout(() => end(entry), leftMs) };
  idle.add(entry);
  connection.release().finally(() => end(entry)).catch(() => {});
}

/** Does nothing if a request has taken the connection. */
function end(entry: IdleConnection) {
  if (remove(entry)) entry.connection.close();
}

function remove(entry: IdleConnection): boolean {
  clearTimeout(entry.timer);
  return idle.delete(entry);
}

function isSameOrigin(one: Origin, other: Origin): boolean {
  return one.target.url.origin === other.target.url.origin && one.target.isListed === other.target.isListed &&
    one.network === other.network && one.reusesBuffers === other.reusesBuffers;
}
