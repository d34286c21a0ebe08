// Auth with settings of a test's own, on a database of its own: it costs a fraction of a stack.
import nodemailer from "nodemailer";
import { join } from "node:path";
import { devKeys as keys } from "../../../local/auth/keys.ts";
import { createAuth } from "../../../local/auth/router.ts";
import { type AuthSettings, authSettings } from "../../../local/auth/settings.ts";
import { createTokens } from "../../../local/auth/tokens.ts";
import { readProject } from "../../../local/host/project.ts";
import { api } from "../../../local/mail/api.ts";
import { openInbox } from "../../../local/mail/inbox.ts";
import { connectTo } from "../../database.ts";
import { startHttpServer } from "../../http_server.ts";
import type { AuthStack } from "../../parity/auth/setup.ts";
import { createProjectDatabase } from "../../project_cluster.ts";
import { folderOfFile } from "../../temporary_folder.ts";

const project = await readProject();
const CONNECTIONS = 4;

/** Starts Auth, which ends with the test file. Call it at the top of the module: a test may not open its connections. */
export async function startAuth(changed: Partial<AuthSettings> = {}): Promise<AuthStack> {
  const database = await createProjectDatabase();
  const folder = await folderOfFile("castbase-auth-"), inbox = await openInbox(join(folder, "mails"));
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true });
  const sql = connectTo(Object.assign(new URL(database.url), { username: "supabase_auth_admin" }).href, CONNECTIONS);
  await Promise.all(Array.from({ length: CONNECTIONS }, () => sql`select pg_sleep(0.01)`)); // opens all
  const { publishable, secret, jwtSecret } = keys;
  const tokens = await createTokens({ file: join(folder, "jwk.json"), publishable, secret, jwtSecret });
  const server = startHttpServer((request) => auth(request));
  const mail = startHttpServer(async (request) => await api(inbox, request) ?? new Response(null, { status: 404 }));
  const auth = createAuth({
    sql,
    tokens,
    keys,
    url: server.url,
    settings: { ...authSettings(project.auth, project.folder), passwordCost: 4, captcha: null, ...changed },
    async send(email) {
      const { message } = await composer.sendMail({ from: "test@castbase.example", ...email });
      await inbox.add(message as Uint8Array, [email.to]);
    },
  });
  return { url: server.url, dbUrl: database.url, mailUrl: mail.url, publishableKey: publishable, secretKey: secret };
}
