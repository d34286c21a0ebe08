/** Connects accounts of providers. No database transaction waits for a provider: each step is a statement of its own. */
import { routeService } from "../../database/service.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { logError } from "../../runtime/log.ts";
import type { ProviderAccount } from "../calendar.ts";
import { CalendarError, TokenRejectedError } from "../calendar_error.ts";
import { readAccount as readGoogleAccount } from "../providers/google.ts";
import { readAccount as readMicrosoftAccount } from "../providers/microsoft.ts";
import { exchangeCode, type OAuthProvider, revokeGrant } from "./oauth.ts";

const accountReaders: Record<OAuthProvider, (token: string) => Promise<ProviderAccount>> = {
  google: readGoogleAccount,
  microsoft: readMicrosoftAccount,
};

/** A connection with its calendars, as the API returns it. */
export interface StoredConnection {
  isNew: boolean;
  connection: object;
}

/** Finishes the user's authorization. If a step fails, nothing is stored, and the user starts again. */
export async function finishConnection(userId: string, state: string, code: string): Promise<StoredConnection> {
  const { provider, ...authorization } = await routeService("consume_calendar_authorization", { userId, state }) as {
    provider: OAuthProvider;
    verifier: string;
    redirectUri: string;
  };
  const tokens = await exchangeCode(provider, { code, ...authorization }).catch((error) => {
    throw error instanceof CalendarError && error.kind === "revoked" ? invalidCode(error) : toApiError(error);
  });
  const account = await accountReaders[provider](tokens.accessToken).catch((error) => {
    throw toApiError(error);
  });
  return await routeService("finish_calendar_connection", { userId, provider, account, tokens }) as StoredConnection;
}

/** Ends the grant at the provider once its tokens are deleted here. A failure is logged; the user can end it there. */
export async function withRevocation<T>(userId: string, connectionId: string, remove: () => Promise<T>): Promise<T> {
  const grant = await routeService("find_revocable_grant", { connectionId, userId }) as
    | { provider: OAuthProvider; refreshToken: string }
    | null;
  const result = await remove();
  if (grant) {
    await revokeGrant(grant.provider, grant.refreshToken)
      .catch((error) => logError({ message: "The grant of a removed calendar account stays", error }));
  }
  return result;
}

const invalidCode = (cause: Error) =>
  new ApiError(400, "The code is invalid, expired or used; start the connection again", {
    code: "INVALID_AUTHORIZATION",
    cause,
  });

/** Turns an error of reading a calendar into the response of a route: 503 if trying again can help, else 422. */
export function toApiError(error: unknown): unknown {
  if (error instanceof TokenRejectedError) return new ApiError(422, error.message, { code: "CALENDAR_UNREADABLE" });
  if (!(error instanceof CalendarError)) return error;
  const { kind, message, retryAfterSeconds, cause } = error;
  if (kind !== "unavailable" && kind !== "rate_limited") {
    return new ApiError(422, message, { code: "CALENDAR_UNREADABLE", cause });
  }
  const headers = retryAfterSeconds === undefined ? undefined : { "retry-after": String(retryAfterSeconds) };
  return new ApiError(503, `${message}; try again later`, { headers, cause });
}
