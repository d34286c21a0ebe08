// The columns whose changes invalidate a feed (sql/90_feeds/rules/public_changes.sql) are those that the renderer reads.
import { deepStrictEqual as deepEqual } from "node:assert";
import { channelTags } from "../../functions/feed_writer/channel_tags.ts";
import { itemTags } from "../../functions/feed_writer/item_tags.ts";
import { renderTags } from "../../functions/feed_writer/tag.ts";
import { episode, podcast } from "./fixture.ts";

const sql = Deno.readTextFileSync("sql/90_feeds/rules/public_changes.sql");

/** The columns that a function lists. */
function listed(name: string): string[] {
  const [body] = sql.match(new RegExp(`^create function private\\.${name}\\([^]*?^\\$\\$;`, "m"))!;
  return [...body.matchAll(/\$1\.(\w+)/g)].map(([, column]) => column).sort();
}

/** The columns of the members that rendering the tags reads, and further ones. */
function shown<Row extends object>(
  row: Row,
  render: (row: Row) => unknown,
  columnsOf: Record<string, string[]>,
  further: string[],
): string[] {
  const read = new Set<string>();
  render(
    new Proxy(row, {
      get: (target, member) => {
        if (typeof member === "string") read.add(member);
        return Reflect.get(target, member);
      },
    }),
  );
  return [...new Set([...[...read].flatMap((member) => columnsOf[member] ?? [member]), ...further])].sort();
}

Deno.test("changes of a podcast invalidate its feed by the columns that the channel shows", () => {
  const columnsOf = {
    shown_owner_email: ["owner_email", "show_owner_email"],
    feed_url: ["slug"],
    listen_url: ["slug"],
    // settings, other rows, and the time of the change
    ...Object.fromEntries(
      [
        "hub_url",
        "uses_podping",
        "credits",
        "trailers",
        "newest_published_at",
        "changed_at",
        "is_paged",
        "redirect_url",
      ]
        .map((member) => [member, []]),
    ),
  };
  // whether there is a feed, its pages, and the tags that are written as they are
  const further = ["hosting_type", "feed_page_size", "extra_tags"];
  deepEqual(shown(podcast(), (row) => renderTags(channelTags, row), columnsOf, further), listed("podcast_in_feed"));
});

Deno.test("changes of an episode invalidate its feed by the columns that the item shows", () => {
  const columnsOf = { listen_url: ["slug"], podcast: [], transcripts: [], credits: [] }; // other rows
  // where the item is, the tags that are written as they are, and whether a rendering sanitizes the show
  // notes, and a fact of the report
  const further = ["podcast_id", "extra_tags", "show_notes_version", "audio_has_seek_table"];
  const item = { ...episode(), podcast: podcast() };
  deepEqual(shown(item, (row) => renderTags(itemTags, row), columnsOf, further), listed("episode_in_feed"));
});
