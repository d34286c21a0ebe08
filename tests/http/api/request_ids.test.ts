// What a request causes names it: an operator finds a failure from the x-request-id of a response, and back.
import assert from "node:assert/strict";
import { addMember, callRpc, episode, newPerson, podcast, sendRequest, sql, stackInfo } from "../harness.ts";

Deno.test("the deliveries that a route causes have the id of its response", async () => {
  const show = await podcast(), pilot = await episode(show), email = `guest-${crypto.randomUUID()}@people.test`;
  const { status, headers } = await sendRequest({
    method: "POST",
    path: "/api/guests",
    as: "owner",
    json: { episodeId: pilot.id, email, displayName: "Gina" },
  });
  assert.equal(status, 201);
  const found = await sql`
    select d.request_id from public.notification_deliveries d
    join private.delivery_addresses a on a.delivery_id = d.id where a.email = ${email}`;
  assert.deepEqual(found.map(({ request_id }) => request_id), [headers.get("x-request-id")]);
});

Deno.test("what an RPC call over REST causes has the id that the platform's gateway gave it", async () => {
  const show = await podcast(), owner = await newPerson("of-request-ids");
  await addMember(show, owner, "admin");
  const email = `invited-${crypto.randomUUID()}@people.test`, requestId = crypto.randomUUID();
  const response = await fetch(`${stackInfo.url}/rest/v1/rpc/invite_podcast_member`, {
    method: "POST",
    headers: {
      apikey: stackInfo.publishableKey,
      authorization: `Bearer ${owner.token}`,
      "content-type": "application/json",
      "sb-request-id": requestId,
    },
    body: JSON.stringify({ podcast_id: show.id, email, role: "member" }),
  });
  assert.equal(response.status, 201, await response.text());
  const found = await sql`
    select d.request_id from public.notification_deliveries d
    join private.delivery_addresses a on a.delivery_id = d.id where a.email = ${email}`;
  assert.deepEqual(found.map(({ request_id }) => request_id), [requestId]);
});

Deno.test("what a call without a request id causes names none", async () => {
  const show = await podcast(), owner = await newPerson("without-request-ids");
  await addMember(show, owner, "admin");
  const email = `invited-${crypto.randomUUID()}@people.test`;
  await callRpc(owner, "invite_podcast_member", { podcast_id: show.id, email, role: "member" });
  const found = await sql`
    select d.request_id from public.notification_deliveries d
    join private.delivery_addresses a on a.delivery_id = d.id where a.email = ${email}`;
  assert.deepEqual(found.map(({ request_id }) => request_id), [null]);
});
