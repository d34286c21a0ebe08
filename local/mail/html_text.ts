/** The texts that Mailpit derives from the HTML of an email: the plain text of one without, and the snippet of a list. */
import { parseDocument } from "htmlparser2";

type Node = ReturnType<typeof parseDocument>["children"][number] & {
  name?: string;
  data?: string;
  attribs?: Record<string, string>;
  children?: Node[];
};

const parse = (html: string) => parseDocument(html).children as Node[];

/** Mailpit's plain text: `*bold*`, underlined headings, and links as `text ( URL )`. */
export function textOf(html: string): string {
  const writer = createWriter();
  writer.writeAll(parse(html));
  return writer.text().replaceAll("\n ", "\n").replace(/\n\n+/g, "\n\n").trim();
}

function createWriter({ startsLine = false } = {}) {
  let written = "", endsWithSpace = startsLine, prefix = "", quotes = 0, isPre = false, justClosedDiv = false;
  const lineIsEmpty = () => written === "" || written.endsWith(prefix === "" ? "\n" : `\n${prefix}`);

  /** Separates texts by a space. */
  function emit(text: string): void {
    if (!text) return;
    for (
      const line of quotes ? breakLine(text, written.length - written.lastIndexOf("\n") - 1 - prefix.length) : [text]
    ) {
      if (!/^\s/.test(line) && !endsWithSpace && !text.startsWith(".")) written += " ";
      endsWithSpace = /\s$/.test(line);
      written += line.replaceAll("\n", `\n${prefix}`);
    }
  }

  function surround(start: string, { children = [] }: Node, end: string): void {
    emit(start);
    writeAll(children);
    emit(end);
  }

  function writeAll(nodes: Node[]): void {
    for (const node of nodes) {
      if (node.type === "text") emit(isPre ? node.data! : node.data!.replace(/[ \r\n\t]+/g, " ").trim());
      else if (node.name !== undefined) writeElement(node);
      else if (node.children) writeAll(node.children);
    }
  }

  function writeElement(node: Node): void {
    justClosedDiv = false;
    const children = node.children ?? [];
    switch (node.name) {
      case "style":
      case "script":
      case "head":
        return;
      case "br":
        return emit("\n");
      case "h1":
      case "h2":
      case "h3": {
        const title = textWithin(children);
        const width = Math.max(0, ...title.split("\n").map((line) => [...line].length - 1));
        const divider = (node.name === "h1" ? "*" : "-").repeat(width);
        return emit(`\n\n${node.name === "h3" ? "" : `${divider}\n`}${title}\n${divider}\n\n`);
      }
      case "blockquote":
        return writeQuote(node);
      case "div":
        if (!lineIsEmpty()) emit("\n");
        writeAll(children);
        if (!justClosedDiv) emit("\n");
        justClosedDiv = true;
        return;
      case "li":
        return surround("* ", node, "\n");
      case "b":
      case "strong":
        return emit(`*${textWithin(children, { startsLine: true })}*`);
      case "a":
        return writeLink(node);
      case "p":
      case "ul":
      case "table":
        return surround("\n\n", node, "\n\n");
      case "pre":
        isPre = true;
        writeAll(children);
        isPre = false;
        return;
      default:
        return writeAll(children);
    }
  }

  function writeQuote({ children = [] }: Node): void {
    quotes++;
    prefix = `${">".repeat(quotes)} `;
    emit(quotes === 1 ? "\n\n" : "\n");
    writeAll(children);
    quotes--;
    prefix = quotes ? `${">".repeat(quotes)} ` : "";
    emit("\n\n");
  }

  function writeLink({ children = [], attribs }: Node): void {
    const [only, ...others] = children;
    const alt = others.length === 0 && only?.name === "img" ? only.attribs?.alt : undefined;
    if (alt) emit(alt);
    else writeAll(children);
    const url = (attribs?.href ?? "").trim().replace(/^mailto:/, "");
    const isText = others.length === 0 && only?.type === "text" && only.data === url;
    if (url && !isText) emit(`( ${url} )`);
  }

  return { writeAll, text: () => written };
}

/** The text of an element whose decoration depends on it. */
function textWithin(children: Node[], options?: { startsLine: boolean }): string {
  const writer = createWriter(options);
  writer.writeAll(children);
  return writer.text();
}

const MAX_QUOTED_LINE = 74;

/** Breaks a quoted text at spaces. `existing` characters of its line are already written. */
function breakLine(text: string, existing: number): string[] {
  const lines = existing >= MAX_QUOTED_LINE ? ["\n"] : [];
  let left = text, used = existing >= MAX_QUOTED_LINE ? 0 : existing;
  while (left.length + used > MAX_QUOTED_LINE) {
    const last = left.slice(0, MAX_QUOTED_LINE - used + 1).search(/\s\S*$/);
    const next = left.slice(MAX_QUOTED_LINE - used).search(/\s/);
    const at = last >= 0 ? last : next < 0 ? left.length : next + MAX_QUOTED_LINE - used;
    lines.push(`${left.slice(0, at)}\n`);
    left = left.slice(at).trimStart();
    used = 0;
  }
  return left ? [...lines, left] : lines;
}

const NOT_IN_SNIPPET = ["script", "title", "head", "link", "meta", "style", "noscript"];
const BLOCK_END = new RegExp(
  "</(div|p|td|th|h[1-6]|ul|ol|li|address|article|aside|blockquote|dl|dt|footer|header|hr|main|nav|pre|table|thead|" +
    "tfoot|video)><",
  "gi",
);
const MAX_SNIPPET_BYTES = 200;

/** Mailpit's snippet: the start of the HTML's text, or of the text of an email without HTML. */
export function snippetOf(text = "", html = ""): string {
  const spaced = html.trim().replace(BLOCK_END, "</$1> <").replace(/<(br \/|br)>/gi, " ").replace(/<img/gi, " <img");
  const source = spaced ? plainText(parse(spaced)).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, " ") : text;
  const snippet = source.replaceAll("\uFEFF", " ").replace(/\s+/g, " ").trim();
  const bytes = new TextEncoder().encode(snippet);
  if (bytes.length <= MAX_SNIPPET_BYTES) return snippet;
  // A cut character at the end is dropped
  return `${new TextDecoder().decode(bytes.subarray(0, MAX_SNIPPET_BYTES), { stream: true })}...`;
}

const plainText = (nodes: Node[]): string =>
  nodes.map((node) =>
    node.type === "text" ? node.data! : NOT_IN_SNIPPET.includes(node.name ?? "") ? "" : plainText(node.children ?? [])
  ).join("");
