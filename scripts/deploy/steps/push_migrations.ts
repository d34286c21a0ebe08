import { requireSuccess, supabase } from "../commands.ts";
import { withPassword } from "../database_urls.ts";
import type { Deployment } from "../deployment.ts";
import { Failure } from "../failure.ts";
import type { Plan } from "./plan.ts";

/** Applies the missing migrations, each in a transaction of its own. */
export async function pushMigrations({ target, api, report }: Deployment, { database, migrations }: Plan) {
  if (!migrations.length) return report("nothing to do");
  const args = ["db", "push", `--remote=${database}`, "--yes"];
  requireSuccess(await supabase(target, args, withPassword(target)));
  const rows = await api.query<{ version: string }>("select version from supabase_migrations.schema_migrations");
  const absent = migrations.filter((file) => !rows.some(({ version }) => file.startsWith(`${version}_`)));
  if (absent.length) throw new Failure(`The CLI reported success, but the database lacks ${absent.join(", ")}.`);
  report(`${migrations.length} applied`);
}
