/** /favicon.ico: an icon of 32 pixels, which browsers and previews of other sites ask for. */
import { createHash } from "node:crypto";
import { publicRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { etagMatches, NO_TRANSFORM } from "../../app/reply.ts";

/** A Windows icon with one PNG: a play triangle on the accent color of pages. */
const ICON = Uint8Array.from(
  atob(
    [
      "AAABAAEAICAAAAEAIAAEAQAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAMtJREFUeNpjYEACGyx4FIC4H4jPA/F/",
      "KuPzULMVGLABoEQCEL+ngcXoGGRHAjbL/9MZJyAH+/sBcMB7cHRA4+X/AOF+BholOKITJsMAWg7Gow4g2QGvzx76vytQa+AcAAM35rT93+oi",
      "PXAOAIFfnz/8P9ecPnAOgAFQtBzJ8hw4B8DAwy1LSI4WqjoAFi2g9DFgDoCBr88eEhUtw88BAxoFA5YIBywbDmhBNGBF8YBXRqPtAVo4YMAb",
      "pQPeLB/YjsmAd80GRed0ILvnACohNzvWYhIHAAAAAElFTkSuQmCC",
    ].join(""),
  ),
  (character) => character.charCodeAt(0),
);
const headers = {
  "content-type": "image/x-icon",
  "cache-control": `public, max-age=86400, ${NO_TRANSFORM}`,
  "etag": `"${createHash("sha256").update(ICON).digest("hex").slice(0, 16)}"`,
  "vary": "accept-encoding",
  "cross-origin-resource-policy": "cross-origin",
};

export const favicon = publicRouter().get(
  "/",
  describeRoute({
    operationId: "getFavicon",
    summary: "Get the icon of the pages",
    responseType: "image/x-icon",
    hasEtag: true,
  }),
  (c) =>
    etagMatches(c.req.header("if-none-match"), headers.etag)
      ? new Response(null, { status: 304, headers })
      : new Response(ICON, { headers: { ...headers, "content-length": String(ICON.length) } }),
);
