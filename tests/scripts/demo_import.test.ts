// npm run demo:import, as its own process on a stack of its own, in a linked copy of this repository.
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeScratchFolder } from "../../local/host/scratch_folder.ts";
import { repository } from "../../local/host/project.ts";
import { allBytes, mp3, renderFeed } from "../worker/source.ts";
import { startTestStack } from "../stack.ts";
import { asPostgres } from "../database.ts";

const OWNER = "owner@moved-house.example";
const SETTLED = "media.example:8443"; // an operator's entry in fetch_allowed_hosts

/** `npm start` and the demo find each other by a file in their working folder. */
async function place() {
  const folder = await makeScratchFolder("castbase-demo-");
  for (const name of ["deno.json", "functions", "local", "node_modules", "package.json", "scripts", "supabase"]) {
    await Deno.symlink(join(repository, name), join(folder, name));
  }
  const feeds = join(folder, "feeds");
  await Deno.mkdir(feeds);
  return {
    dataDir: join(folder, ".data"),
    /** Writes a file beside the feeds; returns its path. */
    async holds(name: string, bytes: Uint8Array) {
      await Deno.writeFile(join(feeds, name), bytes);
      return join(feeds, name);
    },
    /** Runs the demo; returns its output and exit code. */
    async demo(...args: string[]) {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--allow-all", "--no-check", join(folder, "scripts/demo_import.ts"), ...args],
        env: { NO_COLOR: "1" },
        stdin: "null",
        signal: AbortSignal.timeout(120_000),
      }).output();
      return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** A feed with its episodes beside it and further channel XML. */
function feed(episodes: { guid: string; title: string }[], more = ""): Uint8Array {
  const items = episodes.map(({ guid }) => ({ guid, audio: `${guid}.mp3` }));
  let text = new TextDecoder().decode(renderFeed(items, "http://beside.example/"))
    .replaceAll("http://beside.example/", "").replace("<channel>", `<channel>${more}`)
    .replace("<rss ", `<rss xmlns:podcast="https://podcastindex.org/namespace/1.0" `);
  for (const { guid, title } of episodes) text = text.replace(`Title of ${guid}`, title);
  return new TextEncoder().encode(text);
}

Deno.test({ name: "the demo of an import", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using here = await place();
  await using stack = await startTestStack({ dataDir: here.dataDir });
  await using sql = asPostgres(stack);
  await sql`select private.set_setting('fetch_allowed_hosts', ${SETTLED})`;
  const allowed = async () =>
    (await sql`select value from private.settings where key = 'fetch_allowed_hosts'`)[0].value;
  const episodes = (podcast: string) =>
    sql`select guid, title, status, origin, audio_file_size_bytes::int as bytes from public.episodes where podcast_id = ${podcast}`;
  const podcastIn = (stdout: string) =>
    /^Podcast: \S+ \(([0-9a-f-]{36})\), owner demo@castbase\.test$/m.exec(stdout)![1];
  for (const guid of ["new", "old"]) await here.holds(`${guid}.mp3`, allBytes(mp3(20_000)));

  await t.step(
    "npm run demo:import imports --limit episodes of a file and prints their results and warnings",
    async () => {
      const two = [{ guid: "new", title: "Salt & Pepper" }, { guid: "old", title: "Sugar" }];
      const { code, stdout, stderr } = await here.demo(await here.holds("feed.xml", feed(two)), "--limit", "1");
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^2 episodes, read and staged in [\d.]+ s$/m);
      assert.match(stdout, /^1 selected, 1 held back$/m);
      assert.match(stdout, /^\[={30}\] 1 imported, 0 failed, 1 skipped, 0 processing, of 2$/m);
      assert.match(stdout, /^Import completed in [\d.]+ s\.$/m);
      assert.match(stdout, /^ +completed: 1\n *skipped_user_limit: 1$/m);
      assert.match(stdout, /^Fidelity report\n(?: +\d+ × .*\n)* +1 × AMPERSAND_UNESCAPED: ./m);
      assert.deepEqual([...await episodes(podcastIn(stdout))].map((row) => ({ ...row })), [
        { guid: "new", title: "Salt & Pepper", status: "published", origin: "import", bytes: 20_000 },
      ]);
      assert.equal(await allowed(), SETTLED);
    },
  );

  await t.step("npm run demo:import proves ownership of a locked feed with the code in the local inbox", async () => {
    const locked = feed([{ guid: "new", title: "Bread" }], `<podcast:locked owner="${OWNER}">yes</podcast:locked>`);
    const { code, stdout, stderr } = await here.demo(await here.holds("locked.xml", locked));
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^The feed is locked; sending a code to \S*\*\S*@\S+ \(read from the local inbox\)$/m);
    assert.match(stdout, /^Import completed in /m);
    assert.deepEqual((await episodes(podcastIn(stdout))).map(({ title }) => title), ["Bread"]);
    assert.equal(await allowed(), SETTLED);
  });

  await t.step(
    "npm run demo:import prints why an episode with an unreachable source waits, and why it finally failed",
    async () => {
      await sql`
      update private.queues set max_attempts = 2, backoff_base = '4 seconds', backoff_max = '4 seconds'
      where name = 'import_items'`;
      const away = new TextDecoder().decode(feed([{ guid: "away", title: "Far away" }]))
        .replace('url="away.mp3"', 'url="https://media.invalid/away.mp3"');
      const { code, stdout, stderr } = await here.demo(
        await here.holds("away.xml", new TextEncoder().encode(away)),
      );
      assert.deepEqual([code, stderr], [0, ""]);
      const reason = "Host media\\.invalid was not found";
      assert.match(stdout, new RegExp(`^Waiting to retry “Far away” at \\d\\d:\\d\\d:\\d\\d: ${reason}$`, "m"));
      assert.match(stdout, /, 0 processing, 1 waiting for a retry, of 1$/m);
      assert.match(stdout, new RegExp(`^  Far away: ${reason} \\(RETRIES_EXHAUSTED\\)$`, "m"));
    },
  );

  await t.step(
    "npm run demo:import imports the stack's demo feed when no feed is named, and keeps the stack's own host",
    async () => {
      const { host } = new URL(stack.url);
      await sql`select private.set_setting('fetch_allowed_hosts', ${`${SETTLED},${host}`})`; // as a start of the stack writes it
      const { code, stdout, stderr } = await here.demo();
      assert.equal(await allowed(), `${SETTLED},${host}`);
      await sql`select private.set_setting('fetch_allowed_hosts', ${SETTLED})`;
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^Episode numbers: Ep\. \{n\}, 4 found, /m);
      assert.match(stdout, /^ +completed: 4$/m);
      const numbers = await sql`
      select season_number as season, episode_number as number, published_at::date::text as day
      from public.episodes where podcast_id = ${podcastIn(stdout)} order by number`;
      assert.deepEqual(numbers.map(({ season, number, day }) => [season, number, day]), [
        [1, 1, "2026-03-04"],
        [1, 2, "2026-03-11"],
        [1, 3, "2026-03-18"],
        [1, 4, "2026-03-25"],
      ]);
    },
  );

  await t.step(
    "npm run demo:import prints its usage for a limit that is not a number, a second feed and an unknown option",
    async () => {
      for (const args of [["--limit", "x"], ["a.xml", "b.xml"], ["--all"]]) {
        const { code, stdout, stderr } = await here.demo(...args);
        assert.deepEqual([code, stdout, stderr], [
          1,
          "",
          "Usage: npm run demo:import -- [feed URL or file] [--limit N]\n",
        ]);
      }
    },
  );

  await t.step(
    "npm run demo:import requires a demo account that it can sign in as, and removes its allowed host",
    async () => {
      const [{ encrypted_password: before }] = await sql`
      select encrypted_password from auth.users where email = 'demo@castbase.test'`;
      const set = (password: string) =>
        sql`update auth.users set encrypted_password = ${password} where email = 'demo@castbase.test'`;
      await set("");
      const { code, stderr } = await here.demo(join(here.dataDir, "../feeds/feed.xml"));
      await set(before);
      assert.equal(code, 1);
      assert.match(stderr, /^The demo account cannot sign in \(.+\)\. Recreate it with npm run db:reset\.\n$/);
      assert.equal(await allowed(), SETTLED);
    },
  );

  await t.step(
    "npm run demo:import prints the product's error for a file that is not a feed, and removes its allowed host",
    async () => {
      const page = new TextEncoder().encode("<!doctype html><title>Gone</title><p>The feed has moved");
      const { code, stderr } = await here.demo(await here.holds("page.xml", page));
      assert.deepEqual([code, stderr.trim()], [1, "The URL is a web page, not a feed (NOT_XML)"]);
      assert.equal(await allowed(), SETTLED);
      assert.equal((await sql`select from public.podcasts where title = 'Import of page.xml'`).length, 0);
    },
  );

  await t.step("npm run demo:import prints the name of a file that does not exist", async () => {
    const { code, stdout, stderr } = await here.demo("nowhere.xml");
    assert.deepEqual([code, stdout, stderr], [1, "", "No such file: nowhere.xml\n"]);
  });
});
