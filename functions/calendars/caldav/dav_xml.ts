/**
 * Reads multistatus documents of WebDAV servers (RFC 4918, 13) one response at a time, within bounds. Document types
 * are rejected, and with them entities that a document declares.
 */
import { CalendarError } from "../calendar_error.ts";

export const DAV = "DAV:";
export const CALDAV = "urn:ietf:params:xml:ns:caldav";

interface DavElement {
  /** `{namespace}name`. */
  name: string;
  /** Values by local name. */
  attributes: Map<string, string>;
  text: string;
  children: DavElement[];
}

export interface DavResponse {
  href: string;
  /** Of the resource, if it failed as a whole. */
  status?: number;
  /** Properties that the server found. */
  properties: Map<string, DavElement>;
}

/** Twenty for each of 20,000 events. */
const MAX_ELEMENTS = 400_000;
const MAX_DEPTH = 30;
/** Of a response, with the attachments of its event. */
const MAX_RESPONSE_CHARS = 10_000_000;

export const qualify = (namespace: string, name: string) => `{${namespace}}${name}`;

/** Throws CalendarError for text that is not a multistatus document. */
export async function readMultistatus(
  text: AsyncIterable<string>,
  onResponse: (response: DavResponse) => unknown,
) {
  const { SaxesParser } = await import("saxes"); // loaded with the first CalDAV calendar
  const parser = new SaxesParser({ xmlns: true });
  const open: DavElement[] = [];
  let count = 0;
  let hasRoot = false;
  let chars = 0; // of the open response
  let ended: DavResponse[] = []; // in the last part of the text

  parser.on("error", (cause) => {
    throw notDavError(cause);
  });
  parser.on("doctype", () => {
    throw notDavError("a document type");
  });
  parser.on("opentag", ({ uri, local, attributes }) => {
    const name = qualify(uri, local);
    if (!hasRoot && name !== qualify(DAV, "multistatus")) throw notDavError(name);
    hasRoot = true;
    if (++count > MAX_ELEMENTS || open.length >= MAX_DEPTH) {
      throw new CalendarError("malformed", "The calendar server sent a response with too many elements");
    }
    const values = Object.values(attributes).map(({ local, value }) => [local, value] as const);
    const element: DavElement = { name, attributes: new Map(values), text: "", children: [] };
    if (open.length > 1) open.at(-1)!.children.push(element); // responses are not collected
    open.push(element);
  });
  parser.on("text", (part) => addText(part));
  parser.on("cdata", (part) => addText(part));
  parser.on("closetag", () => {
    const element = open.pop()!;
    if (open.length === 1 && element.name === qualify(DAV, "response")) {
      ended.push(toResponse(element));
      chars = 0;
    }
  });

  function addText(part: string) {
    const element = open.at(-1);
    if (open.length <= 1) return;
    if ((chars += part.length) > MAX_RESPONSE_CHARS) {
      throw new CalendarError("malformed", "The calendar server sent a response that is too large");
    }
    element!.text += part;
  }

  for await (const part of text) {
    parser.write(part);
    for (const response of ended) await onResponse(response);
    ended = [];
  }
  parser.close();
}

const notDavError = (cause: unknown) =>
  new CalendarError("malformed", "The server did not send a response of CalDAV", { cause });

export const childrenOf = (element: DavElement | undefined, namespace: string, name: string) =>
  element?.children.filter((child) => child.name === qualify(namespace, name)) ?? [];

const textOf = (element: DavElement | undefined) => element?.text.trim() ?? "";

/** The text of the first `href` inside a property. */
export const hrefOf = (element: DavElement | undefined) => textOf(childrenOf(element, DAV, "href")[0]) || undefined;

function toResponse(element: DavElement): DavResponse {
  const properties = new Map<string, DavElement>();
  for (const propstat of childrenOf(element, DAV, "propstat")) {
    const status = parseStatus(childrenOf(propstat, DAV, "status")[0]) ?? 200;
    if (status < 200 || status >= 300) continue;
    for (const { children } of childrenOf(propstat, DAV, "prop")) {
      for (const property of children) properties.set(property.name, property);
    }
  }
  return { href: hrefOf(element) ?? "", status: parseStatus(childrenOf(element, DAV, "status")[0]), properties };
}

/** Of "HTTP/1.1 200 OK". */
function parseStatus(element: DavElement | undefined): number | undefined {
  const [, status] = /^HTTP\/[\d.]+ (\d{3})/.exec(textOf(element)) ?? [];
  return status ? Number(status) : undefined;
}
