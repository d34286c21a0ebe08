// Each text of emails and notifications is in use: it belongs to a notification type, or code names its key.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { sourceFiles } from "../source_files.ts";

const sources = sourceFiles(["functions", "sql"], /\.(?:sql|ts)$/);
const isTexts = (path: string) => /\/texts_\w+\.sql$/.test(path);
const code = sources.filter(({ path }) => !isTexts(path)).map(({ text }) => text).join("\n");
const catalogue = sources.find(({ path }) => path.endsWith("70_notifications/rows.sql"))!.text;
const types = [...catalogue.matchAll(/^ {4}\('([a-z_]+\.[a-z_]+)', /gm)].map(([, type]) => type);
const keys = new Set(
  sources.filter(({ path }) => isTexts(path)).flatMap(({ text }) =>
    [...text.matchAll(/^ {4}\('([a-z_.]+)',/gm)].map(([, key]) => key)
  ),
);

/**
 * Variants that are values of a booking's columns cancelled_by and status or of an execution's status, or depend on the
 * guest of a booking, or on a role.
 */
const COMPUTED_VARIANTS = [
  "automation.failed.canceled",
  "booking.cancelled.guest",
  "booking.cancelled.expiry",
  "booking.requested.pending",
  "booking.rescheduled.pending",
  "booking.requested.unverified",
  "booking.requested.instant",
  "booking.rescheduled.instant",
  "booking.rescheduled.place",
  "booking.cancelled.instant_expiry",
  "podcast.member_removed.you",
  "podcast.member_role_changed.admin",
  "podcast.member_role_changed.member",
  "podcast.member_role_changed.you_admin",
  "podcast.member_role_changed.you_member",
  "podcast.redirect_changed.ended",
];
const TEXT_OF_TYPE =
  /^([a-z_]+\.[a-z_]+)(?:\.address)?(?:\.(?!address\.)([a-z_]+))?\.(?:title|body|location|message|action|listed|collapsed)$/;

function isUsed(key: string): boolean {
  const [, type, variant] = TEXT_OF_TYPE.exec(key) ?? [];
  if (types.includes(type)) {
    return variant === undefined || COMPUTED_VARIANTS.includes(`${type}.${variant}`) ||
      code.includes(`"variant": "${variant}"`) || code.includes(`'variant', '${variant}'`);
  }
  if (code.includes(`'${key}'`) || code.includes(`"${key}"`)) return true;
  // computed: `podcast_invitation.role_${role}`, 'team_role.' || role || '_can'
  const [group, name] = key.split(".");
  const [start, end] = [name.slice(0, name.indexOf("_") + 1), name.slice(name.indexOf("_"))];
  return code.includes(`\`${group}.${start}\${`) || new RegExp(`'${group}\\.' \\|\\| \\w+ \\|\\| '${end}'`).test(code);
}

Deno.test("every text belongs to a notification type, or code names its key", () => {
  ok(keys.size > 100 && types.length > 10, `${keys.size} keys, ${types.length} types`);
  deepEqual([...keys].filter((key) => !isUsed(key)), []);
});

Deno.test("a text is unused if neither a type nor code has its key", () => {
  for (
    const key of [
      "email.nope",
      "team_role.member_nope",
      "chat.nope.title",
      "chat.message.nope.title",
      "chat.message.address.nope.body",
    ]
  ) {
    ok(!isUsed(key), key);
  }
});
