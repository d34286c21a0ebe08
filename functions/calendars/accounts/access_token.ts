/** Access tokens of connected accounts. The leases of refreshes are in sql/60_bookings/rules/calendar_tokens.sql. */
import { setTimeout as delay } from "node:timers/promises";
import { routeService } from "../../database/service.ts";
import { CalendarError, TokenRejectedError } from "../calendar_error.ts";
import { type OAuthProvider, providerName, refreshTokens } from "./oauth.ts";

/** How long to wait for another process that refreshes the token; a dead one loses its lease after 30 s. */
const MAX_WAIT_MS = 12_000, POLL_MS = 100;
/** The refresh after a rejected new token tells whether the user revoked the access just after the last refresh. */
const MAX_TOKENS = 3;

/** The result of claim_calendar_token. */
type Claim =
  | { state: "valid"; accessToken: string }
  | { state: "claimed"; provider: OAuthProvider; leaseId: string; refreshToken: string }
  | { state: "refreshing" }
  | { state: "revoked"; error: string | null }
  | { state: "missing" };

/**
 * Runs `use` with an access token of a connected account. If the provider rejects it (401), runs `use` again with a new
 * one. Throws CalendarError.
 */
export async function withAccessToken<T>(
  connectionId: string,
  use: (token: string) => Promise<T>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T> {
  let token: string | undefined;
  for (let count = 0; count < MAX_TOKENS; count++) {
    token = await getToken(connectionId, signal, token);
    try {
      return await use(token);
    } catch (error) {
      if (!(error instanceof TokenRejectedError)) throw error;
    }
  }
  throw new CalendarError("forbidden", "The provider rejects the account's new token", { status: 401 });
}

async function getToken(connectionId: string, signal?: AbortSignal, rejectedToken?: string) {
  const end = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const claim = await routeService("claim_calendar_token", { connectionId, rejectedToken }) as Claim;
    switch (claim.state) {
      case "valid":
        return claim.accessToken;
      case "claimed": {
        const accessToken = await refresh(connectionId, claim);
        if (accessToken !== undefined) return accessToken;
        break; // the connection was renewed, or another process took over
      }
      case "refreshing":
        if (signal?.aborted || Date.now() > end) throw new CalendarError("unavailable", "The account is being renewed");
        await delay(POLL_MS);
        break;
      case "revoked":
        throw new CalendarError("revoked", claim.error ?? "The account no longer grants access; connect it again");
      case "missing":
        throw new CalendarError("not_found", "The calendar connection was removed");
    }
  }
}

/** Not ended by the caller's signal: a rotated refresh token that is lost would end the connection. */
async function refresh(
  connectionId: string,
  { provider, leaseId, refreshToken }: Claim & { state: "claimed" },
): Promise<string | undefined> {
  try {
    const tokens = await refreshTokens(provider, refreshToken);
    const isStored = await routeService("store_calendar_token", { connectionId, leaseId, ...tokens });
    return isStored ? tokens.accessToken : undefined;
  } catch (error) {
    const isRevoked = error instanceof CalendarError && error.kind === "revoked";
    const revocationError = isRevoked
      ? `${providerName(provider)} no longer grants access; connect the account again`
      : null;
    await routeService("fail_calendar_token", { connectionId, leaseId, revocationError });
    throw error;
  }
}
