// What is wrong with malformed JSON, in the words of Go's parser, which the service passes on to clients.

const END = "unexpected end of JSON input";
const SPACE = /[ \t\r\n]/;

/** The error of text that is not JSON. The parser sees bytes, and a space after the end. */
export function syntaxErrorOf(text: string): string {
  const bytes = [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join("");
  try {
    scan(bytes + " ");
    return END;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Walks a value and the space after it. Throws at the first wrong character. */
function scan(source: string): void {
  let at = 0;
  const next = () => source[at++] ?? stop(END);
  const skipSpace = () => {
    while (SPACE.test(source[at] ?? "")) at++;
  };
  const token = () => (skipSpace(), next());
  const expect = (set: RegExp, where: string, character = next()): string =>
    set.test(character) ? character : stop(`invalid character ${quote(character)} ${where}`);

  function value(first = token()): void {
    if (first === "{") members();
    else if (first === "[") elements();
    else if (first === '"') string();
    else if (first === "-" || /\d/.test(first)) number(first);
    else if ("tfn".includes(first)) literal({ t: "true", f: "false", n: "null" }[first]!);
    else expect(/^$/, "looking for beginning of value", first);
  }

  function members(): void {
    let first = token();
    while (first !== "}") {
      expect(/"/, "looking for beginning of object key string", first);
      string();
      expect(/:/, "after object key", token());
      value();
      if (expect(/[,}]/, "after object key:value pair", token()) === "}") return;
      first = expect(/"/, "looking for beginning of object key string", token());
    }
  }

  function elements(): void {
    const first = token();
    if (first === "]") return;
    value(first);
    while (expect(/[,\]]/, "after array element", token()) === ",") value();
  }

  function string(): void {
    for (let character = next(); character !== '"'; character = next()) {
      if (character < " ") expect(/^$/, "in string literal", character);
      if (character !== "\\") continue;
      if (expect(/[bfnrt\\/"u]/, "in string escape code") !== "u") continue;
      for (let digit = 0; digit < 4; digit++) expect(/[\da-f]/i, "in \\u hexadecimal character escape");
    }
  }

  function number(first: string): void {
    if (first === "-") first = expect(/\d/, "in numeric literal");
    if (first !== "0") digits();
    if (source[at] === ".") {
      at++;
      expect(/\d/, "after decimal point in numeric literal");
      digits();
    }
    if (/e/i.test(source[at] ?? "")) {
      at++;
      if (/[+-]/.test(source[at] ?? "")) at++;
      expect(/\d/, "in exponent of numeric literal");
      digits();
    }
  }

  function digits(): void {
    while (/\d/.test(source[at] ?? "")) at++;
  }

  function literal(word: string): void {
    for (const letter of word.slice(1)) {
      expect(new RegExp(letter), `in literal ${word} (expecting '${letter}')`);
    }
  }

  value();
  skipSpace();
  if (at < source.length) expect(/^$/, "after top-level value");
}

function stop(message: string): never {
  throw new SyntaxError(message);
}

const ESCAPES: Record<string, string> = {
  ...{ "'": "\\'", "\\": "\\\\", "\x07": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" },
  "\v": "\\v",
};

/** A character as Go quotes it. */
function quote(character: string): string {
  const code = character.charCodeAt(0), hex = code.toString(16);
  const isPrintable = code >= 0x20 && code < 0x7f || code > 0xa0 && code !== 0xad;
  const escaped = code < 0x80 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
  return `'${ESCAPES[character] ?? (isPrintable ? character : escaped)}'`;
}
