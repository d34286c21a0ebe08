/** Auth's verdicts about tokens whose key the functions do not know. */
import { env, publishableKey } from "../runtime/env.ts";
import { ApiError, excerpt } from "../runtime/api_error.ts";
import { logInfo } from "../runtime/log.ts";
import { createLruCache } from "../runtime/lru_cache.ts";

interface Subject {
  token: string;
  /** Whom the token's claims name. */
  userId: string;
  /** The token's key. */
  kid: unknown;
  /** The client's. */
  network: string;
}

interface Question {
  verdict: Promise<boolean>;
  network: string;
}

const TIMEOUT_MS = 5000, REJECTION_MS = 10_000;
/** Callers with invented tokens cause at most so many questions at once, those of one network half as many. */
const MAX_QUESTIONS = 10, MAX_QUESTIONS_OF_NETWORK = 5;

const asking = new Map<string, Question>();
/** Until when a token counts as rejected. */
const rejected = createLruCache<number>({ maxCount: 2000, maxBytes: 2 ** 20 });

/** Whether Auth accepts the token. Concurrent requests share a question. 503 if Auth does not respond, or has too many questions. */
export function isVerifiedByAuth(subject: Subject): Promise<boolean> {
  const { token, network } = subject, shared = asking.get(token);
  if (shared) return shared.verdict;
  if ((rejected.get(token) ?? 0) > Date.now()) return Promise.resolve(false);
  const ofNetwork = [...asking.values()].filter((question) => question.network === network);
  if (asking.size >= MAX_QUESTIONS || ofNetwork.length >= MAX_QUESTIONS_OF_NETWORK) {
    throw new ApiError(503, "Too many tokens are being verified; try again");
  }
  const verdict = ask(subject).finally(() => asking.delete(token));
  asking.set(token, { verdict, network });
  verdict.then((isValid) => isValid || noteRejection(subject), () => {});
  return verdict;
}

function noteRejection({ token, kid }: Subject) {
  rejected.set(token, Date.now() + REJECTION_MS, 100 + token.length);
  const key = excerpt(String(kid ?? ""), 100);
  logInfo({ message: `A token was rejected: SUPABASE_JWKS does not have its key ${key}, and Auth does not accept it` });
}

async function ask({ token, userId }: Subject): Promise<boolean> {
  try {
    const response = await fetch(`${env.SUPABASE_URL}/auth/v1/user`, {
      headers: { apikey: publishableKey(), authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.ok) return (JSON.parse(text) as { id?: unknown }).id === userId;
    // 401: the gateway rejects the API key, not Auth the token
    if (response.status < 500 && response.status !== 401 && response.status !== 429) return false;
    throw new Error(`Auth responded ${response.status}`);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(503, "The token cannot be verified now; try again", { cause });
  }
}
