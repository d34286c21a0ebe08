/** Calls of the guest page to Supabase, with the session of the address that the guest has confirmed, in memory. */
import { language, texts } from "./guest_texts.ts";

export type AuthError = { code?: string; message: string };

/** The requests of the page. */
export type PageRequests = {
  /** Rejects with a RequestError. */
  send<T>(url: string, init: RequestInit): Promise<T>;
  isOutage(error: { status?: number }): boolean;
  RequestError: new (message: string, status?: number, code?: string, lang?: string) => Error & {
    status?: number;
    code?: string;
  };
};

type Session = { access_token: string; user: { id: string } };
type EmailProof = { type: string } & ({ token_hash: string } | { email: string; token: string });

export function createSupabaseClient(
  { send, isOutage, RequestError }: PageRequests,
  errorText: (error: AuthError) => string,
) {
  const { supabaseUrl, publishableKey } = document.body.dataset;
  let session: Session | undefined;

  /** Errors are shown beside the form and never close the page. */
  async function call<T>(path: string, fields: object, method = "POST"): Promise<T> {
    const headers = {
      "apikey": publishableKey!,
      "content-type": "application/json",
      "x-supabase-api-version": "2024-01-01", // errors as {code, message}
      ...session && { authorization: `Bearer ${session.access_token}` },
    };
    return await send<T>(`${supabaseUrl}${path}`, { method, headers, body: JSON.stringify(fields) }).catch((error) => {
      if (isOutage(error)) throw error;
      const text = commonText(error) ?? errorText(error);
      throw new RequestError(text, 400, error.code, text === error.message ? error.lang : undefined);
    });
  }

  /** Auth's own message names the rules of passwords, in English. */
  function commonText({ code }: AuthError): string | undefined {
    if (code === "over_request_rate_limit") return texts.tooManyTries;
    if (code === "weak_password" && language !== "en") return texts.weakPassword;
  }

  const callAuth = <T>(path: string, fields: object, method?: string) => call<T>(`/auth/v1${path}`, fields, method);

  /** Signs in. False if an email change waits for the other address. */
  async function verify(proof: EmailProof): Promise<boolean> {
    const result = await callAuth<Partial<Session>>("/verify", proof);
    session = result.access_token ? result as Session : undefined;
    return Boolean(session);
  }

  /**
   * Sets what the owner of the confirmed address has chosen; a new password also ends the other sessions. Another person
   * may have signed up with the address, so a name of theirs must not stay in Auth either.
   */
  async function setOwner({ password, displayName }: { password?: string; displayName?: string }) {
    if (password) {
      const names = displayName && { data: { display_name: displayName, full_name: null, name: null } };
      await callAuth("/user", { password, ...names }, "PUT").catch((error) => {
        if (error.code !== "same_password") throw error;
      });
    }
    if (displayName) await call(`/rest/v1/profiles?id=eq.${session!.user.id}`, { display_name: displayName }, "PATCH");
  }

  /** The page forgets the session in any case. */
  async function signOut() {
    await callAuth("/logout?scope=local", {}).catch(() => {});
    session = undefined;
  }

  return { callAuth, verify, setOwner, signOut, isSignedIn: () => Boolean(session) };
}
