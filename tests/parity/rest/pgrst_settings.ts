// Settings of the role authenticator, for tests of what they turn on.
import { waitFor } from "../../wait_for.ts";
import type { Rest } from "./fixture.ts";

/** Gives authenticator the settings while `run` runs. `isRead` tells whether REST follows them. */
export async function withSettings(
  { sql }: Pick<Rest, "sql">,
  settings: Record<string, string>,
  isRead: () => PromiseLike<boolean>,
  run: () => Promise<void>,
) {
  const names = Object.keys(settings);
  const change = (text: (name: string) => string) =>
    sql.unsafe(`${names.map((name) => `alter role authenticator ${text(name)}`).join(";")}; notify pgrst`).simple();
  await change((name) => `set pgrst.${name} = '${settings[name]}'`);
  try {
    await waitFor("the changed settings", async () => await isRead());
    await run();
  } finally {
    await change((name) => `reset pgrst.${name}`);
    await waitFor("the reset settings", async () => !await isRead());
  }
}
