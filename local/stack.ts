// A whole stack: Postgres, the services on it, the edge functions beside it, one gateway before them.
import { join } from "node:path";
import postgres from "postgres";
import { createAuth } from "./auth/router.ts";
import { type AuthSettings, authSettings } from "./auth/settings.ts";
import { CannotStart } from "./cannot_start.ts";
import { startCron } from "./cron.ts";
import { forgetData, keptSecret, leaveFolder, type Running, takeFolder, tellRunning } from "./data_folder.ts";
import { createDemoFeed } from "./demo_feed.ts";
import { createFunctions } from "./functions/proxy.ts";
import { startGateway } from "./gateway.ts";
import { devKeys as keys } from "./keys.ts";
import { listen } from "./listen.ts";
import { startMail } from "./mail/server.ts";
import { migrate } from "./migrations.ts";
import { startNet } from "./net.ts";
import { assertFree, freePort } from "./ports.ts";
import { type Postgres, startPg } from "./postgres.ts";
import { type Project, readProject, repository } from "./project.ts";
import { createRealtime } from "./realtime/server.ts";
import { createRest } from "./rest/rest.ts";
import { seedDatabase, seedObjects } from "./seed.ts";
import { tellDatabase } from "./settings.ts";
import { createStorage } from "./storage/storage.ts";
import { createTokens } from "./tokens.ts";

export interface StackOptions {
  /** Everything that this stack keeps. */
  dataDir: string;
  /** Where supabase/ and functions/ are; this repository without it. */
  project?: string;
  /** Holds what is built once per checkout: .cache/ without it. */
  cache?: string;
  /** The ports that config.toml names, instead of free ones. */
  fixedPorts?: boolean;
  /** What is committed survives a crash of the machine. */
  durable?: boolean;
  /** Throws away the database, the stored objects and the mails of before. */
  fresh?: boolean;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
  /** The edge functions start anew when their source changes. */
  watch?: boolean;
  /** Over what config.toml says. */
  auth?: Partial<AuthSettings>;
  /** Beside what the platform gives to edge functions. */
  functionsEnv?: Record<string, string>;
}

export interface Stack extends Running {
  /** Resolves when the server has ended; with the reason as a sentence, unless it was asked to and had no trouble. */
  ended: Promise<string | undefined>;
  stop(): Promise<void>;
}

/** Starts everything; when a part cannot start, those before it are stopped again. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (const step of stops.splice(0).reverse()) await step().catch((error) => failures.push(error));
    if (failures.length) throw failures[0]; // after all the other steps: no process may stay
  };
  const onStop = (step: () => Promise<unknown>) => {
    stops.push(step);
    options.signal?.throwIfAborted();
  };
  let database: Postgres | undefined;
  try {
    return { ...await start(options, onStop, (pg) => database = pg), stop };
  } catch (error) {
    await stop().catch((error) => console.error(error));
    const trouble = await database?.ended; // what came of it elsewhere is a connection that was lost
    throw trouble ? new CannotStart(trouble, { cause: error }) : error;
  }
}

async function start(
  options: StackOptions,
  onStop: (step: () => Promise<unknown>) => void,
  onDatabase: (pg: Postgres) => void,
) {
  const { dataDir, durable = false } = options;
  const project = await readProject(options.project);
  await takeFolder(dataDir);
  onStop(() => leaveFolder(dataDir));
  if (options.fresh) await forgetData(dataDir);

  const ports = options.fixedPorts ? checked(project.ports) : freePorts();
  const url = `http://127.0.0.1:${ports.api}`;
  const mail = await startMail({ folder: join(dataDir, "mails"), smtpPort: ports.smtp, durable });
  onStop(mail.close);
  const inbox = listen(ports.inbox, mail.web);
  onStop(inbox.close);
  const database = startPg({
    cache: options.cache ?? join(repository, ".cache"),
    dataDir: join(dataDir, "postgres"),
    port: ports.database,
    durable,
  });
  database.then(onDatabase, () => {}); // it may fail before it is awaited
  onStop(() => database.then((pg) => pg.stop(), () => {}));

  const tokens = await createTokens({
    file: join(dataDir, "jwk.json"),
    publishable: keys.publishable,
    secret: keys.secret,
  });
  const workerSecret = await keptSecret(dataDir, "worker_secret");
  const dbUrl = `postgresql://postgres:postgres@127.0.0.1:${ports.database}/postgres`;
  // they start beside the database, and need it only when they are asked
  const functions = createFunctions(project, {
    SUPABASE_URL: url,
    SUPABASE_DB_URL: dbUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secret }),
    SUPABASE_JWKS: JSON.stringify(tokens.jwks),
    WORKER_SECRET: workerSecret,
    SMTP_URL: `smtp://127.0.0.1:${mail.smtpPort}`,
    MAIL_FROM: mail.from,
    ...options.functionsEnv,
  }, { watch: options.watch });
  onStop(functions.close);

  const pg = await database;
  const adminUrl = pg.url("supabase_admin");
  await migrate(dbUrl, project);
  await tellDatabase(dbUrl, { url, workerSecret });
  await seedDatabase(dbUrl, project);

  const authSql = postgres(pg.url("supabase_auth_admin"), { max: 4, onnotice: () => {} });
  onStop(() => authSql.end({ timeout: 1 }));
  const settings = { ...authSettings(project.auth, project.folder), ...options.auth };
  const auth = createAuth({ sql: authSql, tokens, keys, url, settings, send: mail.send });

  const credentials = { publishableKey: keys.publishable, secretKey: keys.secret, verify: tokens.claims };
  const rest = createRest({ ...credentials, databaseUrl: pg.url("authenticator"), adminUrl, ...project.api });
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
  await seedObjects(dbUrl, project, { fetch: storage.fetch, secretKey: keys.secret });

  const realtime = createRealtime({ adminUrl, keys, claims: tokens.claims });
  onStop(realtime.close);
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
    realtime: realtime.upgrade,
    demo: createDemoFeed(project.folder, url),
  });
  onStop(gateway.close);

  const running: Running = {
    pid: Deno.pid,
    url,
    dbUrl,
    mailUrl: `http://127.0.0.1:${ports.inbox}`,
    functionsUrl: `${url}/functions/v1`,
    publishableKey: keys.publishable,
    secretKey: keys.secret,
  };
  await tellRunning(dataDir, running);
  return { ...running, ended: pg.ended };
}

function freePorts(): Project["ports"] {
  return { api: freePort(), database: freePort(), inbox: freePort(), smtp: freePort() };
}

function checked(ports: Project["ports"]): Project["ports"] {
  assertFree(ports.api, "API", "[api] port");
  assertFree(ports.database, "database", "[db] port");
  assertFree(ports.inbox, "mail inbox", "[local_smtp] port");
  assertFree(ports.smtp, "SMTP", "[local_smtp] smtp_port");
  return ports;
}
