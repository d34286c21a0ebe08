/** /api/media: uploads and what they leave. Who may, what and how much is decided in sql/35_media; the bytes pass through here. */
import { authenticatedRouter } from "../../app/app.ts";
import { artwork } from "./artwork.ts";
import { audio } from "./audio.ts";
import { images } from "./images.ts";

export const media = authenticatedRouter().route("/audio", audio).route("/", images).route("/", artwork);
