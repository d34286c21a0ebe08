import type { ErrorEnvelope } from "../../types/envelope.ts";
import { MAX_URL_LENGTH } from "./describe_route.ts";

/** Descriptions and examples of errors in OpenAPI documents, by status. docs/errors.md lists the codes. */
export const DOCUMENTED_ERRORS: Record<number, { description: string; example: ErrorEnvelope }> = {
  400: {
    description: "A parameter, the body or its content type is invalid",
    example: { error: "Invalid request", details: "limit: must be an integer from 1 to 100" },
  },
  401: { description: "Missing or invalid token", example: { error: "Missing bearer token" } },
  403: {
    description: "The role, the paid plan or the account is missing, or the user is anonymous",
    example: { error: "Permission denied" },
  },
  404: { description: "Not found", example: { error: "Podcast not found" } },
  408: { description: "Request body or upstream timed out", example: { error: "The request body timed out" } },
  409: {
    description: "Conflicts with the current state, or exceeds the storage allowance",
    example: { error: "Already exists" },
  },
  410: {
    description: "The podcast was deleted",
    example: { error: "The podcast was deleted", code: "PODCAST_DELETED" },
  },
  412: {
    description: "If-Match or If-Unmodified-Since does not hold",
    example: { error: "The feed has changed" },
  },
  413: { description: "The body is too large", example: { error: "Request body too large" } },
  414: {
    description: `The URL is longer than ${MAX_URL_LENGTH} characters`,
    example: { error: "Request URL too long" },
  },
  422: {
    description: "Valid request, but the resource's state does not allow it",
    example: { error: "An inactive person cannot be credited", code: "PERSON_INACTIVE" },
  },
  429: {
    description: "Rate limit exceeded; `rate_limit_reset_at`, and `Retry-After` in seconds, are when to try again",
    example: {
      error: "Too many requests; try again later",
      code: "RATE_LIMITED",
      rate_limit_reset_at: "2026-11-21T05:00:00.000Z",
    },
  },
  500: {
    description: "Internal server error; the log has its requestId",
    example: { error: "Internal server error", requestId: "0f3f9d9c-2d5b-4c8a-9c57-1b9d2f6c7a10" },
  },
  501: {
    description: "The format is not supported",
    example: { error: "This format is not supported; use json or xml" },
  },
  503: { description: "Temporarily unavailable", example: { error: "The database is unavailable" } },
  504: { description: "Upstream timed out", example: { error: "The feed took too long to respond", code: "TIMEOUT" } },
};
