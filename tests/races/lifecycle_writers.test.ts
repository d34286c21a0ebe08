// A change of a podcast's status and each kind of write to the podcast run one after the other: the second waits for the
// first, and a write then sees the new status.
import { strictEqual as equal } from "node:assert";
import { assertBlocks, createRaceDatabase, outcome, type RaceDatabase } from "./race_database.ts";

/** A write to the podcast `show` by `who`; "service" is the worker or a route that writes as the service. */
interface Write {
  who: "ola" | "vic" | "eve" | "service";
  statement: string;
  /** Creates what the write needs. */
  given?: string;
}

const AUDIO = `private.finish_audio_upload(tests.id('ola'), tests.id('show'), tests.id('pilot'),
  tests.store_audio_object('pilot'), 1000, 'audio/mpeg', 60, null)`;
const IMAGE = `private.finish_image_upload(tests.id('ola'), tests.id('show'), 'cover',
  tests.store_image_object('cover'), 1000, 'image/jpeg', tests.square_image())`;
const IMPORT = "tests.import('one', 'show'), tests.import_item('a', 'one')";

const writes: Record<string, Write> = {
  "insert of an episode": {
    who: "ola",
    statement: "insert into public.episodes (podcast_id, title) values (tests.id('show'), 'New')",
  },
  "update of an episode": { who: "ola", statement: "update public.episodes set title = 'New' where title = 'pilot'" },
  "deletion of an episode": { who: "ola", statement: "delete from public.episodes where title = 'pilot'" },
  "publication of an episode": {
    who: "ola",
    given: `select ${AUDIO}`,
    statement: "select public.publish_episode(tests.id('pilot'))",
  },
  "update of the podcast": { who: "ola", statement: "update public.podcasts set author = 'New'" },
  "change of a role": {
    who: "ola",
    statement: "update public.podcast_members set role = 'admin' where role = 'member'",
  },
  "removal of a member": { who: "ola", statement: "delete from public.podcast_members where role = 'member'" },
  "invitation to the team": {
    who: "ola",
    statement: "select public.invite_podcast_member(tests.id('show'), 'new@test.example')",
  },
  "acceptance of an invitation": {
    who: "eve",
    given: "select tests.person('eve'), tests.invitation('show', 'eve@test.example', 'ola')",
    statement: "select public.accept_podcast_invitation(tests.id('show/eve@test.example'))",
  },
  "offer of a transfer": {
    who: "ola",
    statement: "select public.offer_podcast_transfer(tests.id('show'), tests.id('vic'))",
  },
  "invitation of a guest": {
    who: "ola",
    statement: "select public.invite_guest(tests.id('pilot'), 'new@test.example', 'New')",
  },
  "update of a guest": {
    who: "ola",
    given: "select tests.guest('gina', 'pilot')",
    statement: `select public.update_podcast_guest(id, '{"notes": "New"}') from public.podcast_guests`,
  },
  "chat message": {
    who: "vic",
    statement: "insert into public.episode_messages (episode_id, body) values (tests.id('pilot'), 'New')",
  },
  "addition to a roster": {
    who: "ola",
    statement: `select public.add_episode_person(tests.id('pilot'), 'external', name => 'New')`,
  },
  "finish of an audio upload": { who: "service", statement: `select ${AUDIO}` },
  "finish of an image upload": { who: "service", statement: `select ${IMAGE}` },
  "begin of a direct upload": {
    who: "ola",
    statement: "select public.begin_direct_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg', 'a.mp3', 1000)",
  },
  "removal of audio": {
    who: "ola",
    given: `select ${AUDIO}`,
    statement: "select public.remove_episode_audio(tests.id('pilot'))",
  },
  "start of an import": {
    who: "ola",
    statement: "select public.start_import(tests.id('show'), 'https://feeds.example/a.xml')",
  },
  "confirmation of an import": {
    who: "ola",
    given: `select ${IMPORT}`,
    statement: "select public.confirm_import(tests.id('one'))",
  },
};

interface OpenTransaction extends AsyncDisposable {
  /** 'ok', or the SQLSTATE of the statement's error. */
  ended: Promise<string>;
  commit(): Promise<void>;
}

/** Runs a statement as `who` in a transaction that stays open until it is committed or disposed of. */
async function begin({ sql }: RaceDatabase, who: string, statement: string): Promise<OpenTransaction> {
  const connection = await sql.reserve();
  const [{ pid }] = await connection`select pg_backend_pid() as pid`;
  await connection`begin`;
  await connection`select tests.act_as(${who === "service" ? "postgres" : who})`;
  const ended = outcome(connection.unsafe(statement));
  let isOpen = true;
  const end = async (command: "commit" | "rollback") => {
    await ended;
    if (isOpen) await connection.unsafe(command);
    if (isOpen) connection.release();
    isOpen = false;
  };
  return {
    ended,
    commit: () => end("commit"),
    async [Symbol.asyncDispose]() {
      if (isOpen) await sql`select pg_cancel_backend(${pid})`;
      await end("rollback");
    },
  };
}

/** Asserts that the statement of an open transaction waits for a lock. */
async function assertWaits(there: RaceDatabase, { ended }: OpenTransaction) {
  await assertBlocks(there, ended);
  equal(await Promise.race([ended, Promise.resolve("waits")]), "waits");
}

const DELETE = "select public.delete_podcast(tests.id('show'), 'show')";

async function createShow({ sql }: RaceDatabase, given?: string) {
  await sql`delete from public.podcasts`;
  await sql`truncate tests.ids`;
  await sql`delete from auth.users`;
  await sql`select tests.podcast('show', 'ola'), tests.member('vic', 'show'), tests.set_plan('ola', 'pro')`;
  await sql`select tests.episode('pilot', 'show')`;
  if (given) await sql.unsafe(given);
}

Deno.test("each write to a podcast waits for a change of its status, and the change for the write", async (t) => {
  await using there = await createRaceDatabase(6);

  for (const [name, { who, statement, given }] of Object.entries(writes)) {
    await t.step(`the deletion of a podcast waits for an open ${name}`, async () => {
      await createShow(there, given);
      await using write = await begin(there, who, statement);
      equal(await write.ended, "ok");
      await using deletion = await begin(there, "ola", DELETE);
      await assertWaits(there, deletion);
      await write.commit();
      equal(await deletion.ended, "ok");
    });

    await t.step(`the ${name} waits for an open deletion of the podcast and then fails with 409`, async () => {
      await createShow(there, given);
      await using deletion = await begin(there, "ola", DELETE);
      equal(await deletion.ended, "ok");
      await using write = await begin(there, who, statement);
      await assertWaits(there, write);
      await deletion.commit();
      equal(await write.ended, "PT409");
    });
  }

  await t.step("a write waits for an open pause and then succeeds", async () => {
    await createShow(there);
    await using pause = await begin(there, "ola", "select public.pause_podcast(tests.id('show'))");
    equal(await pause.ended, "ok");
    await using write = await begin(there, "ola", writes["update of an episode"].statement);
    await assertWaits(there, write);
    await pause.commit();
    equal(await write.ended, "ok");
  });

  await t.step("a write waits for a deletion that rolls back and then succeeds", async () => {
    await createShow(there);
    const deletion = await begin(there, "ola", DELETE);
    equal(await deletion.ended, "ok");
    await using write = await begin(there, "ola", writes["insert of an episode"].statement);
    await assertWaits(there, write);
    await deletion[Symbol.asyncDispose]();
    equal(await write.ended, "ok");
  });

  await t.step("two writes to one podcast do not wait for each other", async () => {
    await createShow(there);
    await using first = await begin(there, "ola", writes["insert of an episode"].statement);
    equal(await first.ended, "ok");
    await using second = await begin(there, "vic", writes["chat message"].statement);
    equal(await second.ended, "ok");
  });
});
