// Access tokens of connected accounts: refreshes, rotation, revocation, and processes that die while they refresh.
import assert from "node:assert/strict";
import { createFeedDatabase } from "../../feed_writer/feed_database.ts";
import { busy, calendarHosts } from "../calendar_hosts.ts";
import { startGooglePeer } from "../providers/google_peer.ts";
import { startMicrosoftPeer } from "../providers/microsoft_peer.ts";
import { CLIENT_SECRET } from "../providers/provider_peer.ts";
import { drainIn } from "../../worker/worker.ts";

const google = startGooglePeer(), microsoft = startMicrosoftPeer(), peers = { google, microsoft };
const { sql, env } = await createFeedDatabase(undefined, { ...google.env, ...microsoft.env }); // ends with the process
const { withAccessToken } = await import("../../../functions/calendars/accounts/access_token.ts");
const { CalendarError, TokenRejectedError } = await import("../../../functions/calendars/calendar_error.ts");
const { addHost, busyHours } = calendarHosts(sql, peers);

/** Uses a token as a request to the provider: rejected if it is not valid there. */
const useAt = (provider: "google" | "microsoft") => (token: string): Promise<string> => {
  const known = peers[provider].accessTokens.get(token);
  return !known || known.isExpired ? Promise.reject(new TokenRejectedError()) : Promise.resolve(token);
};
const secretOf = async (id: string) => {
  const [{ secret }] = await sql<{ secret: { accessToken: string; refreshToken: string } }[]>`
    select private.read_calendar_secret(${id}) as secret`;
  return secret;
};
const statusOf = async (id: string) => {
  const [{ status, error }] = await sql<{ status: string; error: string | null }[]>`
    select status, last_error as error from public.calendar_connections where id = ${id}`;
  return [status, error];
};
const rejectsAs = (promise: Promise<unknown>, kind: string) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof CalendarError, String(error));
    assert.equal(error.kind, kind);
    assert.doesNotMatch(error.message, /access-|refresh-|secret/);
    return true;
  });

/** The database and the peers live as long as the file. */
const test = (title: string, run: () => Promise<void>) =>
  Deno.test(title, { sanitizeOps: false, sanitizeResources: false }, async () => {
    for (const peer of Object.values(peers)) {
      peer.setFault(() => undefined);
      peer.onToken(() => {});
      peer.clientSecrets.clear();
      peer.clientSecrets.add(CLIENT_SECRET);
    }
    await run();
  });

for (const provider of ["google", "microsoft"] as const) {
  const peer = peers[provider], use = useAt(provider);

  test(`a valid token of ${provider} is used without a refresh`, async () => {
    const { connectionId } = await addHost(provider, [{}]);
    const before = peer.counts.refreshes;
    assert.equal(await withAccessToken(connectionId, use), (await secretOf(connectionId)).accessToken);
    assert.equal(peer.counts.refreshes, before);
  });

  test(`thirty users of an expired token of ${provider} cause one refresh`, async () => {
    const { connectionId } = await addHost(provider, [{}]), before = peer.counts.refreshes;
    peer.expireTokens();
    const tokens = await Promise.all(Array.from({ length: 30 }, () => withAccessToken(connectionId, use)));
    assert.equal(peer.counts.refreshes, before + 1);
    assert.deepEqual([...new Set(tokens)], [(await secretOf(connectionId)).accessToken]);
  });

  test(`a token of ${provider} is refreshed before it expires`, async () => {
    const { connectionId } = await addHost(provider, [{}]), { accessToken } = await secretOf(connectionId);
    await sql`update private.calendar_credentials set access_expires_at = now() + interval '59 seconds'
      where connection_id = ${connectionId}`;
    assert.notEqual(await withAccessToken(connectionId, use), accessToken);
  });

  test(`while one client secret of ${provider} replaces another, either refreshes the tokens of before`, async () => {
    const { connectionId, calendarIds, userId } = await addHost(provider, [{ busy: [busy(1, 2)] }]);
    const isolate = { ...env, [`${provider.toUpperCase()}_CLIENT_SECRET`]: "next-secret" };
    const readCalendars = async () => {
      await sql`select private.enqueue('calendar_reads', ${
        sql.json({ connection_id: connectionId, user_id: userId })
      })`;
      await drainIn(isolate, "calendar_reads");
      return await busyHours(calendarIds);
    };
    const known = new Set([(await secretOf(connectionId)).accessToken]);
    const noteToken = async () => void known.add((await secretOf(connectionId)).accessToken);
    peer.clientSecrets.add("next-secret");
    peer.expireTokens();
    await withAccessToken(connectionId, use).then(noteToken);
    peer.expireTokens();
    assert.equal(await readCalendars(), "1-2");
    await noteToken();
    assert.equal(known.size, 3);

    peer.clientSecrets.delete(CLIENT_SECRET);
    peer.expireTokens();
    await rejectsAs(withAccessToken(connectionId, use), "unavailable"); // an isolate with the old environment
    assert.deepEqual(await statusOf(connectionId), ["active", null]);
    await sql`update private.calendar_busy set stale_at = '-infinity'`;
    await sql`delete from private.calendar_busy_intervals where calendar_id = any (${calendarIds})`;
    assert.equal(await readCalendars(), "1-2");
  });

  test(`a grant that was revoked at ${provider} revokes the connection, until it is renewed`, async () => {
    const { connectionId, address } = await addHost(provider, [{}]);
    peer.revokeAccount(address);
    await rejectsAs(withAccessToken(connectionId, use), "revoked");
    const name = provider === "google" ? "Google" : "Microsoft";
    assert.deepEqual(await statusOf(connectionId), [
      "revoked",
      `${name} no longer grants access; connect the account again`,
    ]);
    const before = peer.counts.refreshes;
    await rejectsAs(withAccessToken(connectionId, use), "revoked");
    assert.equal(peer.counts.refreshes, before);
  });
}

test("a rotated refresh token is stored before the access token is used", async () => {
  const { connectionId } = await addHost("microsoft", [{}]), use = useAt("microsoft");
  for (let n = 0; n < 3; n++) {
    const { refreshToken } = await secretOf(connectionId);
    microsoft.expireTokens();
    await withAccessToken(connectionId, async (token) => {
      await use(token);
      const stored = await secretOf(connectionId);
      assert.equal(stored.accessToken, token);
      assert.notEqual(stored.refreshToken, refreshToken);
      assert.ok(microsoft.refreshTokens.has(stored.refreshToken));
    });
  }
});

test("a temporary failure keeps the connection, and the next use refreshes at once", async () => {
  const { connectionId } = await addHost("google", [{}]), use = useAt("google");
  google.expireTokens();
  for (
    const [fault, kind] of [["server_error", "unavailable"], ["rate_limited", "rate_limited"], [
      "malformed",
      "malformed",
    ], ["truncated", "unavailable"]] as const
  ) {
    google.setFault(({ path }) => path === "/token" ? fault : undefined);
    await rejectsAs(withAccessToken(connectionId, use), kind);
    assert.deepEqual(await statusOf(connectionId), ["active", null]);
  }
  google.setFault(() => undefined);
  await withAccessToken(connectionId, use);
});

test("a process that dies while it refreshes gives way after its lease", async () => {
  const { connectionId } = await addHost("google", [{}]), use = useAt("google");
  const { accessToken } = await secretOf(connectionId);
  google.expireTokens();
  await sql`select private.claim_calendar_token(${connectionId}, ${accessToken})`; // and it dies
  const before = google.counts.refreshes;
  const waiting = withAccessToken(connectionId, use);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(google.counts.refreshes, before);
  await sql`update private.calendar_credentials set lease_expires_at = now() where connection_id = ${connectionId}`;
  await waiting;
  assert.equal(google.counts.refreshes, before + 1);
});

test("a refresh that ends after the connection was renewed keeps the new tokens", async () => {
  const { connectionId, address } = await addHost("google", [{}]), use = useAt("google");
  google.expireTokens();
  const renewed = google.issueTokens(address);
  google.onToken(async () => {
    await sql`select private.store_calendar_secret(${connectionId}, ${JSON.stringify(renewed)}::text::jsonb,
      c.account_digest, now() + interval '1 hour') from private.calendar_credentials c
      where c.connection_id = ${connectionId}`;
  });
  assert.equal(await withAccessToken(connectionId, use), renewed.accessToken);
  assert.deepEqual(await secretOf(connectionId), renewed);
});

test("access that was revoked just after a refresh revokes the connection", async () => {
  const { connectionId, address } = await addHost("google", [{}]), use = useAt("google");
  google.expireTokens();
  const before = google.counts.refreshes;
  await rejectsAs(
    withAccessToken(connectionId, (token) => {
      if (google.counts.refreshes > before) google.revokeAccount(address);
      return use(token);
    }),
    "revoked",
  );
  assert.equal((await statusOf(connectionId))[0], "revoked");
});

test("a removed connection has no token, and an account that rejects new tokens is an error", async () => {
  const { connectionId } = await addHost("google", [{}]);
  const reject = () => Promise.reject(new TokenRejectedError());
  await rejectsAs(withAccessToken(connectionId, reject), "forbidden");
  await sql`delete from public.calendar_connections where id = ${connectionId}`;
  await rejectsAs(withAccessToken(connectionId, reject), "not_found");
});
