// A whole stack: Postgres, its services, the edge functions, and the gateway in front of them.
import { join } from "node:path";
import postgres from "../postgres/client.ts";
import { openPool } from "../postgres/pool.ts";
import { createAuth } from "../auth/router.ts";
import { type AuthSettings, authSettings } from "../auth/settings.ts";
import { StartupError } from "../host/startup_error.ts";
import { startCron } from "../extensions/cron.ts";
import {
  deleteData,
  loadOrCreateSecret,
  lockDataFolder,
  type RunningStack,
  unlockDataFolder,
  writeStackState,
} from "../host/data_folder.ts";
import { createDemoChat } from "./demo_chat.ts";
import { createDemoFeed } from "./demo_feed.ts";
import { createFunctions } from "../functions/proxy.ts";
import { startGateway } from "./gateway.ts";
import { devKeys as keys } from "../auth/keys.ts";
import { listen } from "../host/listen.ts";
import { startMail } from "../mail/server.ts";
import { migrate } from "../database/migrations.ts";
import { startNet } from "../extensions/net.ts";
import { assertFree, freePort } from "../host/ports.ts";
import { type LastingPostgres, startLastingPostgres } from "../postgres/start_postgres.ts";
import { type Project, readProject } from "../host/project.ts";
import { readOptionalText } from "../host/optional_file.ts";
import { createRealtime } from "../realtime/server.ts";
import { createRest } from "../rest/rest.ts";
import { seedBuckets, seedDatabase } from "./seed.ts";
import { configureDatabase, exposeNewTables, setSharedSecret } from "./configure_database.ts";
import { createStorage } from "../storage/storage.ts";
import { createTokens } from "../auth/tokens.ts";

export interface StackOptions {
  /** Holds all data of this stack. */
  dataDir: string;
  /** The folder of the project; by default the parent of this package. */
  project?: string;
  /** Holds what is built once per checkout; by default the project's .cache/. */
  cache?: string;
  /** Uses the ports of config.toml instead of free ones. */
  fixedPorts?: boolean;
  /** Commits survive a crash of the machine. */
  durable?: boolean;
  /** The database's, by default 100. */
  maxConnections?: number;
  /** Deletes the database, the stored objects and the emails first. */
  fresh?: boolean;
  /** Aborts the start. */
  signal?: AbortSignal;
  /** Restarts the edge functions when their source changes. */
  watch?: boolean;
  /** Overrides the settings of config.toml. */
  auth?: Partial<AuthSettings>;
  /** Additional environment variables of the edge functions. */
  functionsEnv?: Record<string, string>;
  /** A file with further ones, which may be missing. */
  functionsEnvFile?: string;
}

export interface Stack extends RunningStack {
  /** Resolves when the database server has ended a second time: with the reason as a message, unless `stop` ended it. */
  ended: Promise<string | undefined>;
  stop(): Promise<void>;
}

/** Starts every part. If one fails, stops the parts before it and throws. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (const step of stops.splice(0).reverse()) await step().catch((error) => failures.push(error));
    if (failures.length) throw failures[0]; // after all the other steps, so that no process stays
  };
  const onStop = (step: () => Promise<unknown>) => {
    stops.push(step);
    options.signal?.throwIfAborted();
  };
  let database: LastingPostgres | undefined;
  try {
    return { ...await start(options, onStop, (pg) => database = pg), stop };
  } catch (error) {
    await stop().catch((error) => console.error(error));
    const reason = await database?.hasEndedOnce; // the error may be the connection that a failed server lost
    throw reason ? new StartupError(reason, { cause: error }) : error;
  }
}

async function start(
  options: StackOptions,
  onStop: (step: () => Promise<unknown>) => void,
  onDatabase: (pg: LastingPostgres) => void,
) {
  const { dataDir, durable = false } = options;
  const project = await readProject(options.project);
  await lockDataFolder(dataDir);
  onStop(() => unlockDataFolder(dataDir));
  if (options.fresh) await deleteData(dataDir);

  const ports = options.fixedPorts ? assertPortsFree(project.ports) : freePorts();
  const url = `http://127.0.0.1:${ports.api}`;
  const mail = await startMail({
    folder: join(dataDir, "mails"),
    from: project.mailFrom,
    smtpPort: ports.smtp,
    durable,
  });
  onStop(mail.close);
  const inbox = listen(ports.inbox, mail.web);
  onStop(inbox.close);
  const database = startLastingPostgres({
    cache: options.cache ?? project.cache,
    dataDir: join(dataDir, "postgres"),
    port: ports.database,
    durable,
    maxConnections: options.maxConnections,
  });
  database.then(onDatabase, () => {}); // may reject before the await below
  onStop(() => database.then((pg) => pg.stop(), () => {}));

  const tokens = await createTokens({
    file: join(dataDir, "jwk.json"),
    projectKeys: project.signingKeys,
    publishable: keys.publishable,
    secret: keys.secret,
    jwtSecret: keys.jwtSecret,
  });
  const workerSecret = await loadOrCreateSecret(dataDir, "worker_secret");
  const dbUrl = `postgresql://postgres:postgres@127.0.0.1:${ports.database}/postgres`;
  // The functions start beside the database: they need it only for requests
  const functions = createFunctions(project, {
    SUPABASE_URL: url,
    SUPABASE_DB_URL: dbUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secret }),
    SUPABASE_JWKS: JSON.stringify(tokens.jwks),
    // The former names of the keys
    SUPABASE_ANON_KEY: keys.publishable,
    SUPABASE_SERVICE_ROLE_KEY: keys.secret,
    WORKER_SECRET: workerSecret,
    SMTP_URL: `smtp://127.0.0.1:${mail.smtpPort}`,
    MAIL_FROM: project.mailFrom,
    ...JSON.parse(await readOptionalText(project.localEnv) ?? "{}"),
    ...options.functionsEnv,
  }, { watch: options.watch, envFile: options.functionsEnvFile, verify: tokens.verify });
  onStop(functions.close);

  const pg = await database;
  const adminUrl = pg.url("supabase_admin");
  if (project.api.exposesNewTables) await exposeNewTables(dbUrl);
  await migrate(dbUrl, project);
  await setSharedSecret(adminUrl, keys.jwtSecret);
  await configureDatabase(dbUrl, project, { url, worker_secret: workerSecret });
  await seedDatabase(dbUrl, project);

  const authSql = openPool(pg.url("supabase_auth_admin"), { max: 4, onnotice: () => {} });
  onStop(() => authSql.end({ timeout: 1 }));
  const settings = { ...authSettings(project.auth, project.folder), ...options.auth };
  for (const warning of settings.warnings) console.warn(warning);
  const auth = createAuth({ sql: authSql, tokens, keys, url, settings, send: mail.send });

  const credentials = { publishableKey: keys.publishable, secretKey: keys.secret, verify: tokens.claims };
  const rest = createRest({ ...credentials, databaseUrl: pg.url("authenticator"), adminUrl, config: project.api });
  onStop(rest.close);
  const adminSql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  onStop(() => adminSql.end({ timeout: 1 }));
  await adminSql.listen("pgrst", rest.reload);

  const storage = await createStorage({
    ...credentials,
    databaseUrl: pg.url("supabase_storage_admin"),
    directory: join(dataDir, "storage"),
    signingSecret: keys.jwtSecret,
    durable,
    ...project.storage,
  });
  onStop(storage.close);
  await seedBuckets(dbUrl, project, { fetch: storage.fetch, secretKey: keys.secret });

  const realtime = createRealtime({ adminUrl, keys, claims: tokens.claims });
  onStop(realtime.close);
  await realtime.started;
  const cron = await startCron({ adminUrl, userUrl: pg.url });
  onStop(cron.close);
  const net = await startNet({ adminUrl });
  onStop(net.close);

  await functions.started;
  const gateway = startGateway(ports.api, {
    auth,
    rest: rest.fetch,
    storage: storage.fetch,
    functions: functions.fetch,
    realtime: realtime.fetch,
    demoChat: createDemoChat(),
    demoFeed: createDemoFeed(project.demoFeed, url),
  });
  onStop(gateway.close);

  const running: RunningStack = {
    pid: Deno.pid,
    url,
    dbUrl,
    mailUrl: `http://127.0.0.1:${ports.inbox}`,
    smtpUrl: `smtp://127.0.0.1:${mail.smtpPort}`,
    functionsUrl: `${url}/functions/v1`,
    publishableKey: keys.publishable,
    secretKey: keys.secret,
  };
  await writeStackState(dataDir, running);
  return { ...running, ended: pg.ended };
}

function freePorts(): Project["ports"] {
  return { api: freePort(), database: freePort(), inbox: freePort(), smtp: freePort() };
}

function assertPortsFree(ports: Project["ports"]): Project["ports"] {
  assertFree(ports.api, "API", "[api] port");
  assertFree(ports.database, "database", "[db] port");
  assertFree(ports.inbox, "mail inbox", "[local_smtp] port");
  assertFree(ports.smtp, "SMTP", "[local_smtp] smtp_port");
  return ports;
}
