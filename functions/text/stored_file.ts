/** Downloads of stored audio. */

const MAX_NAME_CHARS = 120;

/**
 * The address from which a stored file is saved under a title. Storage obeys its `download`; browsers obey the attribute
 * only for files of the page's origin.
 */
export function storedFile(fileUrl: string, title: string): { url: string; name: string } {
  const url = new URL(fileUrl), [extension = ""] = /\.\w+$/.exec(url.pathname) ?? [];
  const name = fileName(title) + extension;
  url.searchParams.set("download", name);
  return { url: url.href, name };
}

/** Without the characters that file systems refuse. */
const fileName = (title: string): string =>
  [...title.replace(/[\p{C}\p{Z}\\/:*?"<>|]+/gu, " ").trim()].slice(0, MAX_NAME_CHARS).join("").replace(
    /^\.+|[\s.]+$/g,
    "",
  );
