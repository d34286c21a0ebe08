// Realtime alone, for tests that restart it or send tokens of their own.
import { devKeys } from "../../../local/auth/keys.ts";
import { createRealtime } from "../../../local/realtime/server.ts";
import { startHttpServer } from "../../http_server.ts";

const { publishable, secret } = devKeys;
type Claims = Parameters<typeof createRealtime>[0]["claims"];
const serviceOnly: Claims = () => Promise.resolve({ role: "service_role" });

/** Serves the changes of a database; ends with its scope. By default each client is the service. */
export async function startRealtime(dbUrl: string, claims = serviceOnly) {
  const adminUrl = Object.assign(new URL(dbUrl), { username: "supabase_admin" }).href;
  const realtime = createRealtime({ adminUrl, keys: { publishable, secret }, claims });
  await realtime.started;
  const web = startHttpServer(realtime.fetch);
  return {
    url: web.url,
    publishableKey: publishable,
    secretKey: secret,
    async [Symbol.asyncDispose]() {
      await realtime.close();
      await web[Symbol.asyncDispose]();
    },
  };
}
