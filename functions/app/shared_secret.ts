/** Routes for other programs of the operator, which know a secret instead of having a login. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./app.ts";
import { declare, type RouteDeclaration } from "./describe_route.ts";
import { ApiError } from "../runtime/api_error.ts";

interface SharedSecret {
  name: string;
  /** The accepted secrets; throws an error that names the variable if none is set. */
  accepted: () => (string | undefined)[];
  security: RouteDeclaration["security"];
}

/** 401 unless the request has one of the secrets as its bearer token. */
export const requireSharedSecret = ({ name, accepted, security }: SharedSecret): MiddlewareHandler<AppEnv> =>
  declare((c, next) => {
    const authorization = c.req.header("authorization") ?? "";
    const isKnown = accepted().some((secret) => secret && isEqual(authorization, `Bearer ${secret}`));
    if (!isKnown) throw new ApiError(401, `Invalid ${name} secret`);
    return next();
  }, { security });

/** Compares digests of equal length, so that the duration reveals nothing. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
