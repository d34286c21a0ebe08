/** The settings of requests to URLs that users give. */
import { VERSION } from "../runtime/product_version.ts";
import { routeSql } from "./db.ts";

export interface FetchSettings {
  /** Hosts (`host` or `host:port`) that may be fetched even if they are private. */
  allowedHosts: string[];
  userAgent: string;
}

export async function getFetchSettings(): Promise<FetchSettings> {
  const [{ hosts, agent }] = await routeSql<{ hosts: string; agent: string }[]>`
    select private.get_setting(_key => 'fetch_allowed_hosts') as hosts,
      private.get_setting(_key => 'fetch_user_agent') as agent`;
  return {
    allowedHosts: hosts.split(/[\s,]+/).filter((host) => host !== ""),
    userAgent: agent.replaceAll("<version>", VERSION).replace(/[^ -~]+/g, encodeURI), // of public_url
  };
}
