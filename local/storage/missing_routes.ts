// Routes of the service that the local stack does not have: their errors name what is missing.
import { ERRORS } from "./errors.ts";
import { handle, type Route } from "./route.ts";

/** The error of a request for a changed image. */
export const noTransformation = () =>
  ERRORS.missing("Image transformation is", "Request the image without transformation, from /object.");

const renderImage = () => Promise.reject(noTransformation());

/** In the form of S3's errors, and with a status that S3 clients do not retry. */
const s3 = () => {
  const message = "The S3 protocol is missing from the local stack. Use the Storage API instead.";
  const body = '<?xml version="1.0" encoding="UTF-8"?>' +
    `<Error><Code>NotImplemented</Code><Message>${message}</Message></Error>`;
  return Promise.resolve(new Response(body, { status: 501, headers: { "content-type": "application/xml" } }));
};

export const missingRoutes: Route[] = [
  handle("GET", "/render/image/public/:b/*", "storage.render.image_public", "public", renderImage),
  handle("GET", "/render/image/authenticated/:b/*", "storage.render.image_authenticated", "token", renderImage),
  handle("GET", "/render/image/sign/:b/*", "storage.render.image_sign", "public", renderImage),
  ...["GET", "HEAD", "POST", "PUT", "DELETE"].map((method) =>
    handle(method, "/s3(?:/*)?", "storage.s3", "public", s3, { streams: true })
  ),
];
