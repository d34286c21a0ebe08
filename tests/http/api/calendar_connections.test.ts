// /api/calendars with peers of Google and Microsoft: connections of accounts, and which of their calendars count.
import assert from "node:assert/strict";
import { startGooglePeer } from "../../calendars/providers/google_peer.ts";
import { startMicrosoftPeer } from "../../calendars/providers/microsoft_peer.ts";
import { type Fault, RETRY_AFTER_SECONDS } from "../../calendars/providers/provider_peer.ts";
import { startFunctions } from "../../functions.ts";
import { fetchDocumented } from "../documented_responses.ts";
import {
  type ApiResponse,
  assertError,
  assertKeys,
  callRpc,
  newPerson,
  type Person,
  sql,
  stackInfo,
} from "../harness.ts";

Deno.test({ name: "/api/calendars with peers", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using google = startGooglePeer();
  await using microsoft = startMicrosoftPeer();
  await using functions = await startFunctions(stackInfo, { ...google.env, ...microsoft.env });
  const peers = { google, microsoft };

  /** A user whose calendars the stack's worker leaves alone: it knows no peers, and would fail the first readings. */
  async function newHost(name: string): Promise<Person> {
    const person = await newPerson(name);
    await sql`insert into private.calendar_costs (user_id, cpu_ms, measured_at) values (${person.id}, 3600000, now())`;
    return person;
  }

  async function send(as: Person, method: string, path = "", json?: object): Promise<ApiResponse> {
    const response = await fetchDocumented(`${functions.url}/api/calendars${path}`, {
      method,
      headers: { authorization: `Bearer ${as.token}`, ...json && { "content-type": "application/json" } },
      body: json && JSON.stringify(json),
    });
    const text = await response.text();
    assert.doesNotMatch(text, /access-|refresh-|secret-of-the-peer/, "responses contain no token");
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }

  /** Sends the browser to the provider and back to the front end's page: the parameters of its fragment. */
  async function authorize(as: Person, provider: "google" | "microsoft", address: string, denial = "") {
    const { status, body } = await send(as, "POST", "/connections", { provider });
    assert.equal(status, 200, JSON.stringify(body));
    const callback = await peers[provider].consent(body.data.authorizeUrl, address, denial);
    assert.equal(callback.origin + callback.pathname, `${stackInfo.functionsUrl}/api/calendars/callback`);
    const response = await fetchDocumented(`${functions.url}/api/calendars/callback${callback.search}`, {
      redirect: "manual",
    });
    await response.body?.cancel();
    const { state, code, error } = Object.fromEntries(
      new URLSearchParams(new URL(response.headers.get("location")!).hash.slice(1)),
    );
    assert.equal(state, body.data.state);
    return { state, code, error };
  }
  const finish = (as: Person, { state, code }: { state: string; code: string }) =>
    send(as, "POST", "/connections/finish", { state, code });
  async function connect(as: Person, provider: "google" | "microsoft", address: string) {
    if (!peers[provider].accounts.has(address)) peers[provider].addAccount(address, [{}, { isWritable: false }]);
    return await finish(as, await authorize(as, provider, address));
  }
  const secretsOf = (as: Person) =>
    sql<{ secret: Record<string, string> }[]>`
      select private.read_calendar_secret(c.id) as secret from public.calendar_connections c
      where c.user_id = ${as.id} order by c.created_at`;

  await t.step("POST connections returns a URL with the parameters of OAuth and PKCE", async () => {
    const ada = await newHost("ada");
    const { body } = await send(ada, "POST", "/connections", { provider: "google" });
    assertKeys(body.data, "authorizeUrl", "state", "expiresAt");
    const { searchParams, origin, pathname } = new URL(body.data.authorizeUrl);
    assert.equal(origin + pathname, `${google.url}/o/oauth2/v2/auth`);
    const { state, code_challenge, ...parameters } = Object.fromEntries(searchParams);
    assert.deepEqual(parameters, {
      response_type: "code",
      client_id: "client-of-the-peer",
      redirect_uri: `${stackInfo.functionsUrl}/api/calendars/callback`,
      scope: ["calendar.calendarlist.readonly", "calendar.freebusy", "calendar.events"]
        .map((scope) => `https://www.googleapis.com/auth/${scope}`).join(" "),
      code_challenge_method: "S256",
      access_type: "offline",
      prompt: "consent",
    });
    assert.equal(state, body.data.state);
    assert.match(code_challenge, /^[\w-]{43}$/);
    const other = new URL((await send(ada, "POST", "/connections", { provider: "microsoft" })).body.data.authorizeUrl);
    assert.equal(other.searchParams.get("scope"), "offline_access User.Read Calendars.ReadWrite MailboxSettings.Read");
    assert.notEqual(other.searchParams.get("state"), state);
  });

  for (const provider of ["google", "microsoft"] as const) {
    await t.step(`POST finish connects an account of ${provider} and lists its calendars`, async () => {
      const ada = await newHost("ada"), address = `ada@${provider}.test`;
      const { status, body } = await connect(ada, provider, address);
      assert.equal(status, 201, JSON.stringify(body));
      assertKeys(body.data, "connection");
      const { id, createdAt, calendars, ...connection } = body.data.connection;
      assert.deepEqual(connection, { provider, accountName: address, status: "pending", lastError: null });
      const common = { lastError: null, eventsError: null, warnings: [], fetchedAt: null };
      assert.deepEqual(
        calendars.map((calendar: { id: string }) => ({ ...calendar, id: undefined })),
        [
          {
            id: undefined,
            name: "Calendar 0",
            isPrimary: true,
            isWritable: true,
            isSelected: true,
            receivesEvents: true,
          },
          {
            id: undefined,
            name: "Calendar 1",
            isPrimary: false,
            isWritable: false,
            isSelected: false,
            receivesEvents: false,
          },
        ].map((calendar) => ({ ...calendar, ...common })),
      );
      assert.ok(id && createdAt);
      const listed = await send(ada, "GET");
      assert.deepEqual(listed.body, {
        success: true,
        data: { connections: [body.data.connection], providers: ["google", "microsoft", "caldav", "ics"] },
      });
      const [{ secret }] = await secretsOf(ada);
      assert.ok(peers[provider].accessTokens.has(secret.accessToken));
      assert.ok(peers[provider].refreshTokens.has(secret.refreshToken));
    });
  }

  await t.step("POST finish renews a known account with 200 and keeps the selection", async () => {
    const ada = await newHost("ada"), address = "again@google.test";
    const { body: { data: { connection: { id, calendars } } } } = await connect(ada, "google", address);
    const selection = { selectedIds: [calendars[1].id], receivingId: calendars[0].id };
    assert.equal((await send(ada, "PUT", "/selection", selection)).status, 200);
    google.revokeAccount(address);
    await sql`update public.calendar_connections set status = 'revoked', last_error = 'gone' where id = ${id}`;
    const { status, body } = await connect(ada, "google", address);
    assert.deepEqual([status, body.data.connection.id, body.data.connection.status], [200, id, "pending"]);
    assert.deepEqual(
      body.data.connection.calendars.map((one: Record<string, boolean>) => [one.isSelected, one.receivesEvents]),
      [[false, true], [true, false]],
    );
    const secrets = await secretsOf(ada);
    assert.deepEqual([secrets.length, google.refreshTokens.get(secrets[0].secret.refreshToken)?.isRevoked], [1, false]);
  });

  await t.step("POST finish rejects the state of another user, who can still finish", async () => {
    const ada = await newHost("ada"), eve = await newHost("eve");
    google.addAccount("victim@google.test");
    const started = await authorize(eve, "google", "victim@google.test"); // the victim follows eve's link
    const before = google.counts.exchanges;
    assertError(await finish(ada, started), 400, {
      error: "The state is unknown, expired or used; start the connection again",
      code: "INVALID_AUTHORIZATION",
    });
    assert.equal(google.counts.exchanges, before);
    assert.equal((await send(ada, "GET")).body.data.connections.length, 0);
    assert.equal((await finish(eve, started)).status, 201);
  });

  await t.step(
    "POST finish rejects a code of another authorization, whose verifier differs, and a foreign code",
    async () => {
      const ada = await newHost("ada"), address = "codes@google.test";
      google.addAccount(address);
      const first = await authorize(ada, "google", address), second = await authorize(ada, "google", address);
      const error = "The code is invalid, expired or used; start the connection again";
      assertError(await finish(ada, { state: first.state, code: second.code }), 400, {
        error,
        code: "INVALID_AUTHORIZATION",
      });
      const third = await authorize(ada, "google", address);
      for (const code of ["https://evil.test/code", "4/\u0000".slice(0, 2), "&client_id=other"]) {
        const { state } = await authorize(ada, "google", address);
        assertError(await finish(ada, { state, code }), 400, { error, code: "INVALID_AUTHORIZATION" });
      }
      const requests = google.requests.length;
      assertError(await finish(ada, { state: third.state, code: "x".repeat(5000) }), 400, { error: "Invalid request" });
      assert.equal(google.requests.length, requests);
      assert.equal((await send(ada, "GET")).body.data.connections.length, 0);
    },
  );

  await t.step("a user who declines comes back with the provider's error and without a code", async () => {
    const ada = await newHost("ada");
    google.addAccount("denies@google.test");
    const { code, error } = await authorize(ada, "google", "denies@google.test", "access_denied");
    assert.deepEqual([code, error], [undefined, "access_denied"]);
  });

  await t.step("POST finish returns 422 if the user grants less than what is asked for", async () => {
    const ada = await newHost("ada"), address = "less@google.test";
    google.addAccount(address);
    google.state.grantedScope = "https://www.googleapis.com/auth/calendar.freebusy";
    const started = await authorize(ada, "google", address);
    google.state.grantedScope = undefined;
    assertError(await finish(ada, started), 422, {
      error: "Allow Google to share all that is asked for; then connect again",
      code: "CALENDAR_UNREADABLE",
    });
  });

  await t.step(
    "POST finish stores nothing if the provider fails at any step, and says whether to try again",
    async () => {
      const ada = await newHost("ada");
      await sql`insert into private.rate_limits values ('calendar_connections:' || ${ada.id}::text, now(), now() + interval '1 day', -100)`;
      google.addAccount("faults@google.test");
      const expected: [Fault, number][] = [
        ["forbidden", 422],
        ["rate_limited", 503],
        ["server_error", 503],
        ["truncated", 503],
        ["malformed", 422],
        ["wrong_shape", 422],
        ["huge", 422],
        ["redirect", 422],
      ];
      for (const [fault, status] of expected) {
        for (const step of ["/token", "/calendar/v3/users/me/calendarList"]) {
          const started = await authorize(ada, "google", "faults@google.test");
          google.setFault(({ path }) => path === step ? fault : undefined);
          const response = await finish(ada, started);
          google.setFault(() => undefined);
          assertError(response, status, status === 422 ? { code: "CALENDAR_UNREADABLE" } : {});
          if (fault === "rate_limited") {
            assert.equal(response.headers.get("retry-after"), String(RETRY_AFTER_SECONDS));
          }
          assert.doesNotMatch(response.text, /127\.0\.0\.1|http:/);
        }
      }
      assert.equal((await send(ada, "GET")).body.data.connections.length, 0);
      const [{ count }] = await sql`
      select count(*)::int from public.calendar_connections where user_id = ${ada.id}`;
      assert.equal(count, 0);
    },
  );

  await t.step(
    "PUT selection returns the calendars, 404 for a foreign one, 422 for events into a read-only one",
    async () => {
      const ada = await newHost("ada"), eve = await newHost("eve");
      const { body } = await connect(ada, "google", "select@google.test");
      const [primary, readOnly] = body.data.connection.calendars;
      const selected = await send(ada, "PUT", "/selection", { selectedIds: [primary.id, readOnly.id] });
      assert.equal(selected.status, 200);
      assertKeys(selected.body.data, "connections");
      assert.deepEqual(
        selected.body.data.connections[0].calendars.map((
          one: Record<string, boolean>,
        ) => [one.isSelected, one.receivesEvents]),
        [[true, false], [true, false]],
      );
      assertError(await send(eve, "PUT", "/selection", { selectedIds: [primary.id] }), 404, {
        error: "Calendar not found",
      });
      assertError(await send(ada, "PUT", "/selection", { selectedIds: [], receivingId: readOnly.id }), 422, {
        code: "CALENDAR_READ_ONLY",
      });
      assertError(await send(ada, "PUT", "/selection", { selectedIds: ["x"] }), 400, { error: "Invalid request" });
      const { connections } = await callRpc<{ connections: object[] }>(ada, "select_calendars", {
        selected_ids: [readOnly.id],
        receiving_id: primary.id,
      });
      assert.deepEqual(await callRpc(ada, "list_calendars", {}), { connections });
    },
  );

  await t.step("DELETE connection deletes its tokens and revokes the grant; 404 for another user's", async () => {
    const ada = await newHost("ada"), eve = await newHost("eve"), address = "leaves@google.test";
    const { body: { data: { connection } } } = await connect(ada, "google", address);
    const [{ secret }] = await secretsOf(ada);
    assertError(await send(eve, "DELETE", `/connections/${connection.id}`), 404, {
      error: "Calendar connection not found",
    });
    assert.equal(google.refreshTokens.get(secret.refreshToken)!.isRevoked, false);
    const removed = await send(ada, "DELETE", `/connections/${connection.id}`);
    assert.deepEqual([removed.status, removed.body], [200, { success: true, data: { id: connection.id } }]);
    assert.equal(google.refreshTokens.get(secret.refreshToken)!.isRevoked, true);
    const [{ count }] = await sql`
      select count(*)::int from vault.secrets where name = ${`calendar_connection_${connection.id}`}`;
    assert.equal(count, 0);
    assertError(await send(ada, "DELETE", `/connections/${connection.id}`), 404);
  });

  await t.step(
    "DELETE connection succeeds if the provider cannot revoke the grant, and keeps a grant that is shared",
    async () => {
      const ada = await newHost("ada"), bob = await newHost("bob"), address = "shared@google.test";
      const { body: { data: { connection } } } = await connect(ada, "google", address);
      const bobs = (await connect(bob, "google", address)).body.data.connection;
      const before = google.counts.revocations;
      assert.equal((await send(ada, "DELETE", `/connections/${connection.id}`)).status, 200);
      assert.equal(google.counts.revocations, before);
      google.setFault(({ path }) => path === "/revoke" ? "server_error" : undefined);
      assert.equal((await send(bob, "DELETE", `/connections/${bobs.id}`)).status, 200);
      google.setFault(() => undefined);
      const other = (await connect(ada, "microsoft", "leaves@microsoft.test")).body.data.connection;
      assert.equal((await send(ada, "DELETE", `/connections/${other.id}`)).status, 200);
    },
  );
});
