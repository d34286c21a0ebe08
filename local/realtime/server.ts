/**
 * Supabase Realtime for supabase-js: `postgres_changes` under row level security, broadcast and presence on public and
 * private topics, broadcasts over HTTP and from the database, tokens that are refreshed and expire.
 */
import { apiKeyOf, rejectApiKey } from "../wire/caller.ts";
import { openPool } from "../postgres/pool.ts";
import { preflight, readable } from "../wire/cors.ts";
import { createBroadcastApi } from "./broadcast_api.ts";
import { type Channel, subscriptionRequests } from "./channel.ts";
import { type Client, connect } from "./connection.ts";
import { createRates, isWithinLimit, MAX_CLIENTS } from "./limits.ts";
import { isMessage, readBroadcast } from "./messages.ts";
import { startPartitions } from "./partitions.ts";
import { createPresence } from "./presence.ts";
import { encode, type Encoded, isKnownVersion, type Message, topicKey } from "./protocol.ts";
import type { Change } from "./pgoutput.ts";
import { startReplication } from "./replication.ts";
import type { ReadClaims } from "./token_errors.ts";
import { createTopics } from "./topics.ts";
import { planDeliveries } from "./visibility.ts";

/** The time limit of a policy, which bounds the delay of other subscribers. A policy that exceeds it hides the row. */
const CHECK_TIMEOUT_MS = 3000;
/** A channel without subscriptions waits no longer for the stream of changes: a long transaction delays its start. */
const MAX_WAIT_MS = 1000;
const PREFIX = "/realtime/v1";

interface RealtimeOptions {
  adminUrl: string;
  keys: { publishable: string; secret: string };
  claims: ReadClaims;
}

export function createRealtime(options: RealtimeOptions) {
  const clients = new Set<Client>();
  const topics = createTopics();
  const presence = createPresence();
  const rates = createRates();
  let pendingJoins = 0;
  const sql = openPool(options.adminUrl, {
    max: 4,
    onnotice: () => {},
    connection: { application_name: "realtime_subscriptions", statement_timeout: CHECK_TIMEOUT_MS },
  });
  const partitions = startPartitions(options.adminUrl);
  const replication = startReplication({
    adminUrl: options.adminUrl,
    hasListeners: () => pendingJoins > 0 || !topics.isEmpty(),
    onChanges: async (changes) => {
      for (const change of changes) {
        if (isMessage(change)) tryBroadcastMessage(change);
        await deliver(change);
      }
    },
  });
  const api = createBroadcastApi({ sql, claims: options.claims, rates, broadcast });

  /** Sends to the channels of a topic, except to `from` unless it wants its own broadcasts. */
  function broadcast(key: string, payload: Record<string, unknown>, from?: Channel) {
    const id = (payload.meta as { id?: string } | undefined)?.id;
    const encoded = new Map<string, Encoded>();
    for (const channel of topics.of(key)) {
      if (channel === from && !from.self || channel.policies && !channel.policies.read.broadcast) continue;
      if (id !== undefined && channel.replayed.has(id)) continue;
      channel.sendEncoded((version) => {
        if (!encoded.has(version)) {
          const { topic } = channel;
          encoded.set(version, encode({ joinRef: null, ref: null, topic, event: "broadcast", payload }, version));
        }
        return encoded.get(version)!;
      });
    }
  }

  /** A message that cannot be sent, such as one of thousands of levels, must not end the stream of changes. */
  function tryBroadcastMessage(change: Change) {
    try {
      broadcastMessage(change);
    } catch (error) {
      console.error("realtime: UnableToBroadcastChanges:", (error as Error).message);
    }
  }

  function broadcastMessage(change: Change) {
    const found = readBroadcast(change);
    if (!found || !isWithinLimit(found.message.payload)) {
      return console.error("realtime: UnableToBroadcastChanges: a message lacks columns or is too large");
    }
    if (rates.events.isExceeded()) return console.error("realtime: UnableToBroadcastChanges: too many requests");
    rates.events.add();
    broadcast(topicKey(found.topic, found.isPrivate), found.message);
  }

  async function deliver(change: Change) {
    const interested = topics.all().flatMap((channel) =>
      channel.subscriptions.filter(({ event, relations, since }) =>
        (event === "*" || event === change.type) && relations.has(change.relation) && change.lsn >= since
      )
    );
    if (!interested.length) return;
    try {
      for (const { subscriptions, data } of await planDeliveries(sql, change, interested)) {
        for (const channel of topics.all()) {
          const ids = channel.subscriptions.filter((one) => subscriptions.includes(one)).map(({ id }) => id);
          if (ids.length) channel.push("postgres_changes", { ids, data });
        }
      }
    } catch (error) {
      console.error(`realtime: a change of ${change.schema}.${change.table} was not sent:`, error);
    }
  }

  async function whileReading(message: Message, run: () => Promise<void>) {
    pendingJoins++;
    try {
      const ready = replication.ready();
      await (subscriptionRequests(message).length ? ready : atMost(MAX_WAIT_MS, ready));
      await run();
      replication.pollNow();
    } finally {
      pendingJoins--;
    }
  }

  function upgrade(request: Request, apikey: string): Response {
    const version = new URL(request.url).searchParams.get("vsn") ?? "1.0.0";
    if (!isKnownVersion(version)) return new Response(null, { status: 403 });
    if (clients.size >= MAX_CLIENTS) return Response.json({ error: "Too many connected users" }, { status: 429 });
    const { socket, response } = Deno.upgradeWebSocket(request);
    const headers = Object.fromEntries([...request.headers].filter(([name]) => name.startsWith("x-")));
    const client = connect(socket, {
      sql,
      claims: options.claims,
      apikey,
      version,
      headers,
      topics,
      presence,
      rates,
      broadcast,
      whileReading,
      onClose: (client) => clients.delete(client),
    });
    clients.add(client);
    return response;
  }

  return {
    /** Resolves when realtime.messages can be written. */
    started: partitions.started,
    /** Handles the requests of /realtime/v1. */
    async fetch(request: Request): Promise<Response> {
      const early = preflight(request);
      if (early) return early;
      const { pathname } = new URL(request.url);
      const path = pathname.slice(PREFIX.length);
      const apikey = apiKeyOf(request);
      if (apikey !== options.keys.publishable && apikey !== options.keys.secret) return readable(rejectApiKey(apikey));
      if (path !== "/websocket") return readable(await api(request, path, apikey));
      const isUpgrade = request.headers.get("upgrade")?.toLowerCase() === "websocket";
      return isUpgrade ? upgrade(request, apikey) : new Response(null, { status: 400 });
    },
    async close() {
      for (const { socket } of clients) socket.close(1001);
      for (const channel of topics.all()) channel.clearTimer();
      await partitions.close();
      await replication.close();
      await sql.end({ timeout: 0.5 });
    },
  };
}

async function atMost(ms: number, promise: Promise<unknown>) {
  let timer;
  await Promise.race([promise, new Promise((resolve) => timer = setTimeout(resolve, ms))]);
  clearTimeout(timer);
}
