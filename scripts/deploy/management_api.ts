/** Supabase's management API, for one project. */
import { Failure } from "./failure.ts";
import type { Target } from "./target.ts";

export interface Project {
  name: string;
  status: string;
}

/** The value is a SHA-256 digest: the platform does not return secrets. */
export interface StoredSecret {
  name: string;
  value: string;
}

export interface DeployedFunction {
  slug: string;
  status: string;
  version: number;
  verify_jwt?: boolean;
}

interface ApiKey {
  name: string;
  type?: "legacy" | "publishable" | "secret" | null;
  api_key?: string | null;
}

export interface Pooler {
  database_type: string;
  db_user: string;
  db_host: string;
  db_port: number;
  db_name: string;
}

const TIMEOUT_MS = 60_000;

export type ManagementApi = ReturnType<typeof openManagementApi>;

export function openManagementApi({ ref, env }: Target) {
  const base = `${env.CASTBASE_MANAGEMENT_URL ?? "https://api.supabase.com"}/v1/projects/${ref}`;
  const token = env.SUPABASE_ACCESS_TOKEN;
  if (!token) {
    throw new Failure(
      "Not logged in: SUPABASE_ACCESS_TOKEN is not set. Create a token at https://supabase.com/dashboard/account/tokens.",
    );
  }

  async function request<T>(method: string, path: string, json?: unknown): Promise<T> {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: json === undefined ? undefined : JSON.stringify(json),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error) => {
      throw new Failure(`The management API cannot be reached: ${error.message}`);
    });
    const text = await response.text();
    if (response.ok) return text ? JSON.parse(text) : undefined;
    const message = messageOf(text);
    if (response.status === 401) throw new Failure(`Not logged in: SUPABASE_ACCESS_TOKEN is rejected (${message}).`);
    if (path === "" && [403, 404].includes(response.status)) {
      throw new Failure(`Your token reaches no project ${ref} (${message}). Check --ref.`);
    }
    throw new Failure(`${method} ${path || "/"} of the management API returned ${response.status}: ${message}`);
  }

  return {
    project: () => request<Project>("GET", ""),
    secrets: () => request<StoredSecret[]>("GET", "/secrets"),
    setSecrets: (secrets: { name: string; value: string }[]) => request<void>("POST", "/secrets", secrets),
    functions: () => request<DeployedFunction[]>("GET", "/functions"),
    /** Runs one statement as postgres. */
    query: <T = Record<string, unknown>>(query: string, ...parameters: string[]) =>
      request<T[]>("POST", "/database/query", { query, parameters }),
    async pooler(): Promise<Pooler> {
      const poolers = await request<Pooler[]>("GET", "/config/database/pooler");
      const primary = poolers.find(({ database_type }) => database_type === "PRIMARY");
      if (!primary) throw new Failure("The project has no connection pooler.");
      return primary;
    },
    async apiKeys(): Promise<{ publishable: string; secret: string }> {
      const keys = await request<ApiKey[]>("GET", "/api-keys?reveal=true");
      const keyOf = (type: ApiKey["type"]) => {
        const some = keys.filter((key) => key.type === type && key.api_key);
        const key = some.find(({ name }) => name === "default") ?? some[0];
        if (!key) throw new Failure(`The project has no ${type} API key: create one under Settings, API Keys.`);
        return key.api_key!;
      };
      return { publishable: keyOf("publishable"), secret: keyOf("secret") };
    },
  };
}

function messageOf(text: string): string {
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text.slice(0, 300);
  }
}
