// Tries the deployed project as its callers do. What it makes is deleted, also when a check fails.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Deployment } from "../deployment.ts";
import { Failure } from "../failure.ts";
import { deleteProbes, PROBE_FOLDER, probeEmail } from "./probes.ts";
import { checkPublishing } from "./publishing_check.ts";

/** The platform starts a new version within seconds. */
const RETRY_DELAYS_MS = [500, 1500, 4000];
const MAX_WAKE_CHECKS = 30;
const WITHOUT_SESSION = { auth: { persistSession: false, autoRefreshToken: false } };

/** A signed-in user of the smoke test. */
export interface Probe {
  /** Base URL of the functions. */
  functionsUrl: string;
  token: string;
  client: SupabaseClient;
}

export async function smokeTest(deployment: Deployment, workerSecret: string): Promise<void> {
  const { target, api, report } = deployment;
  const functionsUrl = `${target.url}/functions/v1`;
  await expectStatus("api", `${functionsUrl}/api/health/ready`, 200);
  await expectStatus("public", `${functionsUrl}/public/v1/openapi.json`, 200);
  const wake = (secret: string) => ({
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: "{}",
  });
  await expectStatus("worker", `${functionsUrl}/worker`, 202, wake(workerSecret));
  await expectStatus("worker with a wrong secret", `${functionsUrl}/worker`, 401, wake(`not ${workerSecret}`));
  report("api, public and worker respond");
  await checkWakeUp(api);
  report("the database wakes the worker");

  const keys = await api.apiKeys();
  const service = createClient(target.url, keys.secret, WITHOUT_SESSION);
  await deleteProbes(api, service); // of a run that was interrupted
  try {
    const probe = await signIn(target.url, keys, service, functionsUrl);
    report("a probe user signs in and reads its account");
    await checkPrivateUpload(service, probe);
    report("an upload into the bucket staging is private");
    if (target.environment === "staging") {
      await checkPublishing(probe);
      report("an episode is published and its feed served");
    }
  } catch (error) {
    await deleteProbes(api, service).catch(({ message }) => report(message)); // the first error says more
    throw error;
  }
  await deleteProbes(api, service);
  report("nothing is left of the probe");
}

/** Fails if worker_url, the secret in Vault or pg_net is wrong. */
async function checkWakeUp(api: Deployment["api"]) {
  const [{ since }] = await api.query<{ since: string }>("select clock_timestamp()::text as since");
  await api.query("select private.wake_worker()");
  let problem = "no response";
  for (let tries = 0; tries < MAX_WAKE_CHECKS; tries++) {
    const responses = await api.query<{ status_code: number | null; error_msg: string | null }>(
      "select status_code, error_msg from net._http_response where created >= $1::timestamptz order by id",
      since,
    );
    if (responses.some(({ status_code }) => status_code === 202)) return;
    for (const { status_code, error_msg } of responses) problem = error_msg ?? `status ${status_code}`;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Failure(`The database does not reach the worker at worker_url: ${problem}.`);
}

async function expectStatus(name: string, url: string, status: number, init?: RequestInit) {
  for (const delay of [...RETRY_DELAYS_MS, undefined]) {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) }).catch((error: Error) => error);
    if (!(response instanceof Error) && response.status === status) return await response.body?.cancel();
    const found = response instanceof Error
      ? response.message
      : `${response.status} ${(await response.text()).slice(0, 300)}`;
    if (delay === undefined) {
      throw new Failure(
        `${name} does not work: ${url} must return ${status}, not ${found}. The function's log has more.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}

async function signIn(
  url: string,
  keys: { publishable: string; secret: string },
  service: SupabaseClient,
  functionsUrl: string,
): Promise<Probe> {
  const account = { email: probeEmail(), password: `${crypto.randomUUID()}-Aa1` };
  const created = await service.auth.admin.createUser({ ...account, email_confirm: true });
  if (created.error) throw new Failure(`Auth creates no user: ${created.error.message}`);
  // with the secret key, because captcha protection asks everyone else for a token
  const { auth } = createClient(url, keys.secret, WITHOUT_SESSION);
  const { data, error } = await auth.signInWithPassword(account);
  if (error) throw new Failure(`The probe user cannot sign in: ${error.message}`);
  const token = data.session.access_token;
  const client = createClient(url, keys.publishable, {
    ...WITHOUT_SESSION,
    global: { headers: { authorization: `Bearer ${token}` } },
  });
  const profile = await client.from("profiles").select("id").eq("id", data.user.id);
  if (profile.error || profile.data.length !== 1) {
    throw new Failure(`The probe user does not see its profile: ${profile.error?.message ?? "no row"}`);
  }
  await expectStatus("api with a user's token", `${functionsUrl}/api/account/export`, 200, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { functionsUrl, token, client };
}

/** On production this takes no podcast, because its slug would be taken forever. */
async function checkPrivateUpload(service: SupabaseClient, { client }: Probe) {
  const path = `${PROBE_FOLDER}/${crypto.randomUUID()}.mp3`, bytes = crypto.getRandomValues(new Uint8Array(1000));
  const staging = service.storage.from("staging");
  const { error } = await staging.upload(path, bytes, { contentType: "audio/mpeg" });
  if (error) throw new Failure(`Storage takes no upload into staging: ${error.message}`);
  const stored = await staging.download(path);
  if (stored.error) throw new Failure(`Storage does not return the upload: ${stored.error.message}`);
  const returned = new Uint8Array(await stored.data.arrayBuffer());
  if (!bytes.every((byte, i) => byte === returned[i])) {
    throw new Failure("Storage returns other bytes than were uploaded.");
  }
  if (!(await client.storage.from("staging").download(path)).error) {
    throw new Failure("A user may read what another uploaded into staging; the bucket must be private.");
  }
  const { publicUrl } = staging.getPublicUrl(path).data;
  const response = await fetch(publicUrl);
  await response.body?.cancel();
  if (response.ok) throw new Failure(`${publicUrl} is public; the bucket staging must be private.`);
}
