// A loopback Management API with one project, which records what the CLI sends.
import { startHttpServer } from "../../http_server.ts";
import { authFields } from "./auth_fields.ts";

export interface Sent {
  path: string;
  fields: Record<string, unknown>;
}

export const projectRef = "abcdefghijklmnopqrst";

export function startManagementApi() {
  const sent: Sent[] = [];
  const server = startHttpServer(async (request) => {
    const path = new URL(request.url).pathname;
    if (request.method !== "GET") sent.push({ path, fields: await request.json() });
    return Response.json(configurationAt(path));
  });
  const { env, profile } = pointCliAt(server.url);
  return {
    sent,
    env,
    async [Symbol.asyncDispose]() {
      await Deno.remove(profile);
      await server[Symbol.asyncDispose]();
    },
  };
}

export const accessToken = `sbp_${"0123456789".repeat(4)}`;

/** The environment of a CLI that calls the Management API at this URL, and the file that it names. */
export function pointCliAt(url: string) {
  const profile = Deno.makeTempFileSync({ suffix: ".yaml" });
  Deno.writeTextFileSync(
    profile,
    `name: loopback\napi_url: ${url}\ndashboard_url: ${url}\nproject_host: 127.0.0.1\n`,
  );
  return { profile, env: { SUPABASE_PROFILE: profile, SUPABASE_ACCESS_TOKEN: accessToken, DO_NOT_TRACK: "1" } };
}

/** The part of the project's configuration at a path; the project itself at other paths. */
export function configurationAt(path: string) {
  if (path.startsWith("/v2/")) return configuration;
  return path.endsWith("/postgrest") ? postgrest : path.endsWith("/config/auth") ? authFields : project;
}

const project = {
  id: projectRef,
  ref: projectRef,
  organization_id: "organization",
  organization_slug: "organization",
  name: "Production",
  region: "eu-west-1",
  created_at: "2026-01-01T00:00:00Z",
  status: "ACTIVE_HEALTHY",
  database: { host: "db.example.com", version: "17", postgres_engine: "17", release_channel: "ga" },
  selected_addons: [],
  available_addons: [],
};

/** The project's resources. The CLI compares each and updates those that differ. */
const attributes = { api: { max_rows: 1000 }, auth: { site_url: "https://before.example.com" } };
const configuration = { data: { id: projectRef, type: "project_config", attributes } };

const postgrest = {
  db_schema: "public",
  db_extra_search_path: "public,extensions",
  max_rows: 1000,
  db_pool: null,
  db_pool_acquisition_timeout: null,
  db_pool_max_lifetime: null,
  db_pool_max_idletime: null,
  api_max_request_duration: null,
  db_max_pool_size: null,
  db_max_pool_size_unit: null,
};
