/** Stores an image of a feed, for an episode or a podcast. */
import { serviceSql } from "../../database/db.ts";
import { type ImageInfo, parseImageHeader } from "../../media/headers/image_header.ts";
import { putObject } from "../../media/storage/storage.ts";
import { PermanentImportError } from "../import_errors.ts";

export const IMAGE_TYPES = "image/jpeg, image/png";

export interface StoredImage {
  path: string;
  bytes: number;
  contentType: string;
  width: number;
  height: number;
}

/** An episode, or the podcast itself. */
interface ImageTarget {
  podcastId: string;
  episodeId: string | null;
}

export function checkImage(bytes: Uint8Array): ImageInfo {
  const info = parseImageHeader(bytes);
  if (!info) throw new PermanentImportError("INVALID_CONTENT_TYPE", "The file is not a JPEG or PNG image");
  return info;
}

/** Throws the database's rejection of an image of another format or size than ours. */
export async function storeImage(
  { podcastId, episodeId }: ImageTarget,
  bytes: Uint8Array,
  info: ImageInfo,
): Promise<StoredImage> {
  const { type: contentType, width, height } = info;
  const type = episodeId === null ? "cover" : "episode_cover";
  const [{ path }] = await serviceSql<{ path: string }[]>`
    select private.validate_image(spec => private.imported_image_spec(_name => ${type}), _content_type => ${contentType},
        bytes => ${bytes.length}, image => ${JSON.stringify(info)}::text::jsonb, aspect_tolerance => 0)::text as fits,
      private.image_path(podcast_id => ${podcastId}, image_type => ${type}, episode_id => ${episodeId},
        id => gen_random_uuid(), content_type => ${contentType}) as path`;
  await putObject(path, bytes, contentType);
  return { path, bytes: bytes.length, contentType, width, height };
}
