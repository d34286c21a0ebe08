/**
 * Reads multistatus documents of WebDAV servers (RFC 4918, 13) one response at a time, within bounds. Document types
 * are rejected, and with them entities that a document declares.
 */
import { CalendarError } from "../calendar_error.ts";
import type { Spend } from "../icalendar/budget.ts";

export const DAV = "DAV:";
export const CALDAV = "urn:ietf:params:xml:ns:caldav";

interface DavElement {
  /** `{namespace}name`; empty in namespaces that are not read. */
  name: string;
  /** Values by local name. */
  attributes: ReadonlyMap<string, string>;
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
/** Of a response: its elements are kept until it ends. */
const MAX_RESPONSE_ELEMENTS = 10_000;
const MAX_DEPTH = 30;
/** With its attributes and namespaces, which the parser keeps until the tag ends. */
const MAX_TAG_CHARS = 8192;
/** In bytes of text: a millisecond or two. */
export const XML_PIECE_BYTES = 8192;
const PIECE_STEPS = 1000, ELEMENT_STEPS = 10;
/** Of a response, with the attachments of its event. */
const MAX_RESPONSE_CHARS = 10_000_000;
/** What a part of a text, such as a CDATA section, takes beside its characters. */
const PART_CHARS = 20;

export const qualify = (namespace: string, name: string) => `{${namespace}}${name}`;

/** Throws CalendarError for text that is not a multistatus document. Takes what it costs from the budget. */
export async function readMultistatus(
  text: AsyncIterable<string>,
  spend: Spend,
  onResponse: (response: DavResponse) => unknown,
) {
  const { SaxesParser } = await import("saxes"); // loaded with the first CalDAV calendar
  const parser = new SaxesParser({ xmlns: true });
  const open: DavElement[] = [];
  let count = 0;
  let hasRoot = false;
  let chars = 0, elements = 0; // of the open response
  let isInTag = false;
  let written = 0, eventAt = 0; // in characters of the document
  let ended: DavResponse[] = []; // in the last part of the text

  // with a handler more, V8 keeps the parser as a dictionary, and it takes four times as long
  parser.on("doctype", () => {
    throw notDavError("a document type");
  });
  parser.on("opentagstart", () => [isInTag, eventAt] = [true, parser.position]);
  parser.on("opentag", ({ uri, local, attributes }) => {
    [isInTag, eventAt] = [false, parser.position];
    const name = uri === DAV || uri === CALDAV ? qualify(uri, local) : "";
    if (!hasRoot && name !== qualify(DAV, "multistatus")) throw notDavError(name);
    hasRoot = true;
    spend(ELEMENT_STEPS);
    if (++count > MAX_ELEMENTS || ++elements > MAX_RESPONSE_ELEMENTS || open.length >= MAX_DEPTH) {
      throw new CalendarError("malformed", "The calendar server sent a response with too many elements");
    }
    const values = Object.values(attributes).map(({ local, value }) => [local, value] as const);
    const element: DavElement = {
      name,
      attributes: values.length ? new Map(values) : NO_ATTRIBUTES,
      text: "",
      children: [],
    };
    if (open.length > 1) open.at(-1)!.children.push(element); // responses are not collected
    open.push(element);
  });
  parser.on("text", (part) => addText(part));
  parser.on("cdata", (part) => addText(part));
  parser.on("closetag", () => {
    eventAt = parser.position;
    const element = open.pop()!;
    if (open.length === 1 && element.name === qualify(DAV, "response")) {
      ended.push(toResponse(element));
      [chars, elements] = [0, 0];
    }
  });

  function addText(part: string) {
    eventAt = parser.position;
    if (open.length <= 1) return;
    if ((chars += part.length + PART_CHARS) > MAX_RESPONSE_CHARS) throw tooLargeError();
    open.at(-1)!.text += part;
  }

  function parse(part: string | null) {
    try {
      parser.write(part);
    } catch (error) {
      throw error instanceof CalendarError ? error : notDavError(error);
    }
    const pending = (written += part?.length ?? 0) - eventAt; // what the parser collects
    if (isInTag && pending > MAX_TAG_CHARS) throw notDavError("a long tag");
    if (pending > MAX_RESPONSE_CHARS) throw tooLargeError();
  }

  for await (const part of text) {
    spend(PIECE_STEPS);
    parse(part);
    for (const response of ended) await onResponse(response);
    ended = [];
  }
  parse(null);
}

const tooLargeError = () => new CalendarError("malformed", "The calendar server sent a response that is too large");

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

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
