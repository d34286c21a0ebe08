// Transfers of a podcast through the RPC functions.
import assert from "node:assert/strict";
import { addMember, episode, person, podcast } from "../harness.ts";
import { uploaded } from "../api/images.ts";

interface Transfer {
  id: string;
  storage_bytes: number;
  status: string;
}

const [owner, member, stranger] = await Promise.all(["giving", "taking", "stranger"].map(person));

async function offered(title: string) {
  const show = await podcast(title, "giving");
  await addMember(show, member);
  await uploaded(show, "cover");
  const { status, data } = await owner.client.rpc("offer_podcast_transfer", {
    podcast_id: show.id,
    user_id: member.id,
  });
  assert.equal(status, 201);
  return { show, transfer: data as Transfer };
}

Deno.test("a member reads the offered bytes, accepts, and owns the podcast", async () => {
  const { show, transfer } = await offered("Handed over");
  assert.ok(transfer.storage_bytes > 0);
  const seen = await member.client.from("podcast_transfers").select("id, storage_bytes, status").eq(
    "podcast_id",
    show.id,
  );
  assert.deepEqual(seen.data, [{ id: transfer.id, storage_bytes: transfer.storage_bytes, status: "pending" }]);
  assert.deepEqual((await stranger.client.from("podcast_transfers").select("id")).data, []);
  const accept = () => member.client.rpc("accept_podcast_transfer", { transfer_id: transfer.id });

  await uploaded(show, await episode(show));
  const grown = await accept();
  assert.deepEqual([grown.status, grown.error], [
    409,
    {
      error: "The podcast has grown since it was offered; check storage_bytes and accept again",
      code: "TRANSFER_SIZE_INCREASED",
      storage_bytes: (grown.error as unknown as Transfer).storage_bytes,
    } as unknown as typeof grown.error,
  ]);
  const accepted = await accept();
  assert.deepEqual([accepted.status, accepted.data.status], [200, "accepted"]);
  assert.equal(accepted.data.storage_bytes, (grown.error as unknown as Transfer).storage_bytes);
  const { data: [{ owner_id }] } = await member.client.from("podcasts").select("owner_id").eq("id", show.id)
    .throwOnError();
  assert.equal(owner_id, member.id);
  const roles = await owner.client.from("podcast_members").select("role").eq("podcast_id", show.id).eq(
    "user_id",
    owner.id,
  );
  assert.deepEqual(roles.data, [{ role: "admin" }]);
});
