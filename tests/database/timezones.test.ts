// Names of time zones: the database accepts those that browsers accept, and reads them as browsers do.
import assert from "node:assert/strict";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";

const { sql } = await createFeedDatabase(); // ends with the process

const test = (title: string, run: () => Promise<void>) =>
  Deno.test(title, { sanitizeOps: false, sanitizeResources: false }, run);

/** Changed in 2024 and 2025: browsers know it, and this runtime's data is older. */
const NEWER = ["America/Coyhaique", "America/Asuncion"];

function isKnown(timeZone: string): boolean {
  try {
    return NEWER.some((name) => name.toLowerCase() === timeZone.toLowerCase()) ||
      new Intl.DateTimeFormat("en", { timeZone }).format(0) !== "";
  } catch {
    return false;
  }
}

const isAccepted = async (names: string[]): Promise<[name: string, isAccepted: boolean][]> =>
  (await sql<{ name: string; is_accepted: boolean }[]>`
    select name, private.is_timezone(name) as is_accepted from unnest(${names}::text[]) with ordinality u (name, n)
    order by n`).map(({ name, is_accepted }) => [name, is_accepted]);

test("is_timezone accepts exactly the names of the database that browsers accept", async () => {
  const names = (await sql<{ name: string }[]>`select name from pg_timezone_names order by name`).map(({ name }) =>
    name
  );
  assert.ok(names.length > 500);
  // Factory is "no zone was set", which this runtime takes for one
  const differs = ([name, accepted]: [string, boolean]) => accepted !== (isKnown(name) && !/^factory$/i.test(name));
  const lowerCase = names.map((name) => name.toLowerCase());
  assert.deepEqual((await isAccepted([...names, ...lowerCase])).filter(differs), []);
});

test("is_timezone accepts each name that browsers list, and links of zones", async () => {
  const names = [
    ...Intl.supportedValuesOf("timeZone"),
    ..."CET EET MET WET EST5EDT PST8PDT Zulu NZ-CHAT GB-Eire W-SU GMT+0 Etc/GMT-14 Asia/Calcutta US/Pacific".split(" "),
    "America/Argentina/Buenos_Aires",
  ];
  assert.deepEqual((await isAccepted(names)).filter(([, accepted]) => !accepted), []);
});

test("is_timezone accepts nothing that browsers reject, nor rules and offsets", async () => {
  const names = [
    ..."PDT CEST BST AEST Z Factory localtime posixrules SystemV/EST5 posix/Europe/Berlin right/Europe/Berlin".split(
      " ",
    ),
    ..."Etc/Unknown Mars/Base Mars/Base5 Europe/Berlin5 Etc/GMT+13 Etc/GMT-15 Etc/GMT+99 FOO3BAR UTC+25".split(" "),
    ...["+02:00", "UTC+2", ":CET", "<x>0", "", " ", "Europe/Berlin ", "Europe", "Europe/", "Europe/../UTC"],
  ];
  assert.deepEqual(await isAccepted(names), names.map((name) => [name, false]));
});

test("the database reads each accepted name as browsers do", async () => {
  const moments = ["2026-01-15T12:00:00.000Z", "2026-07-15T12:00:00.000Z"];
  const rows = await sql<{ name: string; moment: string; local: string }[]>`
    select z.name, m.moment,
      to_char(m.moment::timestamptz at time zone private.normalize_timezone(z.name), 'YYYY-MM-DD HH24:MI') as local
    from pg_timezone_names z cross join unnest(${moments}::text[]) m (moment) where private.is_timezone(z.name)`;
  const differing = rows.filter(({ name }) => !NEWER.includes(name)).filter(({ name, moment, local }) =>
    new Date(moment).toLocaleString("sv-SE", { timeZone: name, dateStyle: "short", timeStyle: "short" }) !== local
  );
  assert.deepEqual(differing, []);
});
