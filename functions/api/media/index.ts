/** /api/media: the bytes of uploads, downloads and imported artwork. The rules are in sql/35_media. */
import { authenticatedRouter } from "../../app/app.ts";
import { artwork } from "./artwork.ts";
import { audio } from "./audio.ts";
import { images } from "./images.ts";
import { transcriptUploads } from "./transcript_uploads.ts";

export const media = authenticatedRouter().route("/audio", audio).route("/transcript", transcriptUploads).route(
  "/",
  images,
)
  .route("/", artwork);
