// The project's database, through its connection pooler: the direct address has no IPv4, which runners of CI need.
import type { Pooler } from "./management_api.ts";
import type { Target } from "./target.ts";

/** Ports of the shared pooler. Migrations need sessions. */
const TRANSACTIONS = 6543, SESSIONS = 5432;

/** For the CLI, which takes the password from the environment, where no list of processes shows it. */
export const databaseUrl = ({ db_user, db_host, db_port, db_name }: Pooler) =>
  `postgresql://${db_user}@${db_host}:${db_port === TRANSACTIONS ? SESSIONS : db_port}/${db_name}`;

/** PGSSLMODE is the operator's to set, for a database without TLS. */
export const withPassword = ({ env }: Target) => ({
  PGPASSWORD: env.SUPABASE_DB_PASSWORD,
  PGSSLMODE: env.PGSSLMODE ?? "require",
});

/** For the functions: each statement may have another session. */
export const poolerUrl = ({ db_user, db_host, db_port, db_name }: Pooler, password: string) =>
  `postgresql://${db_user}:${encodeURIComponent(password)}@${db_host}:${db_port}/${db_name}`;
