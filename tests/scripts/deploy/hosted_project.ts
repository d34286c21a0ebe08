// A hosted project on the loopback interface: its services are a stack's, the functions are those that were deployed,
// and the management API changes both.
import { createHash } from "node:crypto";
import { startHttpServer } from "../../http_server.ts";
import { accessToken, configurationAt, pointCliAt, projectRef } from "../../local/config_push/management_api.ts";
import { asPostgres } from "../../database.ts";
import type { StackInfo } from "../../stack.ts";
import { createDeployedFunctions } from "./deployed_functions.ts";

export { projectRef };

type Row = Record<string, unknown>;

/** What a test makes the project do. */
export interface Faults {
  status?: string;
  /** Changes the rows of a query. */
  rows?: (query: string, rows: Row[]) => Row[];
  /** Paths of the management API, after the project's reference, that fail. */
  rejects?: RegExp;
  /** A function that the project does not list. */
  hides?: string;
}

export async function startHostedProject(at: StackInfo, folder: string) {
  const sql = asPostgres(at);
  const functions = await createDeployedFunctions(at, folder);
  const secrets: Record<string, string> = {};
  /** Every change that the management API was asked for. */
  const changes: string[] = [];
  /** The last settings of Auth that the management API got. */
  const auth: Row = {};
  const project = { url: "", env: {} as Record<string, string>, secrets, changes, auth, sql, faults: {} as Faults };
  const database = new URL(at.dbUrl);
  const pooler = {
    ...{ identifier: projectRef, database_type: "PRIMARY", is_using_scram_auth: true, pool_mode: "transaction" },
    ...{ db_user: "postgres", db_host: database.hostname, db_port: Number(database.port), db_name: "postgres" },
    ...{ connection_string: at.dbUrl, connectionString: at.dbUrl, default_pool_size: 15, max_client_conn: 200 },
  };
  const keys = [
    { name: "anon", type: "legacy", api_key: "not used" },
    { name: "default", type: "publishable", api_key: at.publishableKey },
    { name: "default", type: "secret", api_key: at.secretKey },
  ];

  async function query({ query, parameters }: { query: string; parameters?: string[] }) {
    try {
      const rows: Row[] = await sql.unsafe(query, parameters);
      const changed = project.faults.rows?.(query, rows) ?? rows;
      return Response.json(changed, { status: 201 });
    } catch (error) {
      return fail(400, `Failed to run sql query: ERROR: ${(error as Error).message}`);
    }
  }

  /** Responds to a request of the management API. */
  async function manage(request: Request, path: string): Promise<Response> {
    if (request.headers.get("authorization") !== `Bearer ${accessToken}`) return fail(401, "Unauthorized");
    const [, ref, rest] = /^\/v[12]\/projects\/([^/]+)(.*)$/.exec(path) ?? [];
    if (path === "/v1/projects") return Response.json([configurationAt("")]);
    if (ref !== projectRef) return fail(404, "Project not found");
    const what = `${request.method} ${rest}`;
    const isRead = request.method === "GET" || rest === "/database/query";
    if (!isRead) changes.push(what);
    if (project.faults.rejects?.test(what)) return fail(400, "The platform refuses this");
    if (what === "POST /database/query") return await query(await request.json());
    if (what === "GET /config/database/pooler") return Response.json([pooler]);
    if (what === "GET /api-keys") return Response.json(keys);
    if (what === "GET /functions") {
      return Response.json(functions.list().filter(({ slug }) => slug !== project.faults.hides));
    }
    if (what === "POST /functions/deploy") {
      const slug = new URL(request.url).searchParams.get("slug")!;
      await functions.store(slug, await request.formData());
      return Response.json(functions.list().find((one) => one.slug === slug), { status: 201 });
    }
    if (what === "PUT /functions") {
      await functions.start(secrets);
      return Response.json({ functions: functions.list() });
    }
    if (what === "GET /secrets") {
      const digest = (value: string) => createHash("sha256").update(value).digest("hex");
      return Response.json(Object.entries(secrets).map(([name, value]) => ({ name, value: digest(value) })));
    }
    if (what === "POST /secrets") {
      for (const { name, value } of await request.json()) secrets[name] = value;
      await functions.start(secrets);
      return new Response(null, { status: 201 });
    }
    if (what === "PATCH /config/auth") Object.assign(auth, await request.json());
    if (what === "DELETE /secrets") {
      for (const name of await request.json()) delete secrets[name];
      await functions.start(secrets);
      return Response.json({});
    }
    const status = project.faults.status;
    return Response.json({ ...configurationAt(path), ...rest === "" && status && { status } });
  }

  /** Passes a request to the functions or to the stack. */
  async function pass(request: Request, { pathname, search }: URL): Promise<Response> {
    const [, path] = /^\/functions\/v1(\/.*)$/.exec(pathname) ?? [];
    const base = path ? await functions.url() : at.url;
    if (!base) return fail(404, "Requested function was not found");
    const { status, headers, body } = await fetch(`${base}${path ?? pathname}${search}`, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      redirect: "manual",
    });
    const others = [...headers].filter(([name]) => !/^(content-encoding|content-length|connection)$/.test(name));
    return new Response(body, { status, headers: others });
  }

  const server = startHttpServer((request) => {
    const url = new URL(request.url);
    return /^\/v[12]\//.test(url.pathname) ? manage(request, url.pathname) : pass(request, url);
  });
  const cli = pointCliAt(server.url);
  return Object.assign(project, {
    url: server.url,
    env: { ...cli.env, CASTBASE_MANAGEMENT_URL: server.url, CASTBASE_PROJECT_URL: server.url },
    async [Symbol.asyncDispose]() {
      await sql[Symbol.asyncDispose]();
      await functions[Symbol.asyncDispose]();
      await Deno.remove(cli.profile);
      await server[Symbol.asyncDispose]();
    },
  });
}

const fail = (status: number, message: string) => Response.json({ message }, { status });
