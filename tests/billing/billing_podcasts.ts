// The steps of a history that change podcasts: the verbs of the API, called as the user, and the passage of time.
import assert from "node:assert/strict";
import type { History } from "./billing_history.ts";
import type { PodcastStatus } from "./billing_model.ts";

export function podcastSteps({ sql, dice, model, user, other, call, runLate, age, count }: History) {
  const titles = new Map<string, string>(), pausedOnes = new Set<string>();
  const byStatus = (...statuses: PodcastStatus[]) =>
    [...model.podcasts].filter(([, status]) => statuses.includes(status)).map(([id]) => id);
  const someOf = (ids: string[]) => ids.length ? [dice.one(ids)] : [];

  async function succeed(
    caller: typeof user,
    ...args: Parameters<typeof call> extends [unknown, ...infer A] ? A : never
  ) {
    const { status, body } = await call(caller, ...args);
    assert.ok(status < 300, `${args[0]}: ${JSON.stringify(body)}`);
    return body;
  }

  /** Before the podcast is closed: a subscription of the same second counts as newer, and a late request as older. */
  function close(id: string) {
    const open = byStatus("active", "paused");
    if (open.length !== 1 || open[0] !== id) return;
    runLate();
    age();
  }

  async function create(owner = user) {
    const title = `Show ${titles.size + 1}`, hostingType = dice.chance(0.2) ? "external" : "native";
    const { id } = await succeed(owner, "create_podcast", { title, hostingType });
    titles.set(id, title);
    const member = owner === user ? other : user;
    await sql`insert into public.podcast_members (podcast_id, user_id) values (${id}, ${member.id})`;
    return id;
  }

  async function transfer(podcastId: string, from: typeof user, to: typeof user) {
    const { id: transferId } = await succeed(from, "offer_podcast_transfer", { podcastId, userId: to.id });
    await succeed(to, "accept_podcast_transfer", { transferId });
  }

  async function deletePodcast(id: string) {
    close(id);
    const { status } = await succeed(user, "delete_podcast", { podcastId: id, confirmName: titles.get(id)! });
    model.setPodcast(id, status === "deleted" ? null : "pending_deletion");
  }

  async function purge(id: string) {
    const [{ isDeleted }] = await sql`
      select private.delete_due_podcast(${id}, now() + interval '91 days') as "isDeleted"`;
    assert.ok(isDeleted);
    model.setPodcast(id, null);
  }

  async function pause(id: string) {
    const [{ plan }] = await sql`select plan_code as plan from public.billing_accounts where user_id = ${user.id}`;
    const { status, body } = await call(user, "pause_podcast", { podcastId: id });
    assert.deepEqual([status, body.code], plan === "free" ? [403, "PAID_PLAN_REQUIRED"] : [200, undefined]);
    if (status !== 200) return;
    count("pauses");
    model.setPodcast(id, "paused");
    pausedOnes.add(id);
  }

  return {
    create: async () => model.setPodcast(await create(), "active"),
    pause: async () => {
      for (const id of someOf(byStatus("active"))) await pause(id);
    },
    pauseAll: async () => {
      for (const id of byStatus("active")) await pause(id);
    },
    unpause: async () => {
      for (const id of someOf(byStatus("paused"))) {
        if (dice.chance(0.3)) { // the pause expires
          await sql`update public.podcasts set paused_at = paused_at - interval '90 days',
            pause_expires_at = pause_expires_at - interval '90 days' where id = ${id}`;
          await sql`select private.end_expired_pauses()`;
        } else {
          await succeed(user, "unpause_podcast", { podcastId: id });
        }
        // so that it can be paused again
        await sql`update public.podcasts set last_pause_ended_at = last_pause_ended_at - interval '13 months'
          where id = ${id}`;
        model.setPodcast(id, "active");
        pausedOnes.delete(id);
      }
    },
    delete: async () => {
      for (const id of someOf(byStatus("active", "paused"))) await deletePodcast(id);
    },
    cancelDeletion: async () => {
      for (const id of someOf(byStatus("pending_deletion"))) {
        const { status } = await succeed(user, "cancel_deletion", { podcastId: id });
        assert.equal(status, pausedOnes.has(id) ? "paused" : "active");
        model.setPodcast(id, status);
      }
    },
    purge: async () => {
      for (const id of someOf(byStatus("pending_deletion"))) await purge(id);
    },
    give: async () => {
      for (const id of someOf(byStatus("active", "paused"))) {
        close(id);
        await transfer(id, user, other);
        model.setPodcast(id, null);
      }
    },
    receive: async () => {
      const [given] = await sql`select id, status from public.podcasts where owner_id = ${other.id} limit 1`;
      const id = given?.id ?? await create(other);
      await transfer(id, other, user);
      model.setPodcast(id, given?.status ?? "active");
    },
    /** Deletes all podcasts, which an account must do before it can be deleted. */
    deleteAll: async () => {
      for (const id of byStatus("active", "paused")) await deletePodcast(id);
      for (const id of byStatus("pending_deletion")) await purge(id);
    },
  };
}
