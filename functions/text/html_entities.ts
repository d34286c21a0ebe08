/** Entities of HTML 4, which editors write into notes and into feeds that do not declare them. */
export const HTML_ENTITIES = new Map<string, string>();

function add(names: string, first: number) {
  names.split(" ").forEach((name, i) => name !== "-" && HTML_ENTITIES.set(name, String.fromCharCode(first + i)));
}

// Latin-1 from U+00A0, in order
add(
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 " +
    "acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring " +
    "AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times " +
    "Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave " +
    "eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave " +
    "uacute ucirc uuml yacute thorn yuml",
  0xa0,
);
// Greek capitals and small letters; there is no capital final sigma
add(
  "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi " +
    "Chi Psi Omega",
  0x391,
);
add(
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon " +
    "phi chi psi omega",
  0x3b1,
);
const others = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", ndash: "–", mdash: "—", hellip: "…", bull: "•", euro: "€" },
  ...{ lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„", lsaquo: "‹", rsaquo: "›", trade: "™" },
  ...{ OElig: "Œ", oelig: "œ", Scaron: "Š", scaron: "š", Yuml: "Ÿ", ensp: " ", emsp: " ", thinsp: " ", fnof: "ƒ" },
  ...{ zwnj: "\u200c", zwj: "\u200d", lrm: "\u200e", rlm: "\u200f", circ: "ˆ", tilde: "˜", dagger: "†", Dagger: "‡" },
  ...{ permil: "‰", prime: "′", Prime: "″", oline: "‾", frasl: "⁄", image: "ℑ", real: "ℜ", weierp: "℘" },
  ...{ alefsym: "ℵ", thetasym: "ϑ", upsih: "ϒ", piv: "ϖ", larr: "←", uarr: "↑", rarr: "→", darr: "↓", harr: "↔" },
  ...{ crarr: "↵", lArr: "⇐", uArr: "⇑", rArr: "⇒", dArr: "⇓", hArr: "⇔", forall: "∀", part: "∂", exist: "∃" },
  ...{ empty: "∅", nabla: "∇", isin: "∈", notin: "∉", ni: "∋", prod: "∏", sum: "∑", minus: "−", lowast: "∗" },
  ...{ radic: "√", prop: "∝", infin: "∞", ang: "∠", and: "∧", or: "∨", cap: "∩", cup: "∪", int: "∫", there4: "∴" },
  ...{ sim: "∼", cong: "≅", asymp: "≈", ne: "≠", equiv: "≡", le: "≤", ge: "≥", sub: "⊂", sup: "⊃", nsub: "⊄" },
  ...{ sube: "⊆", supe: "⊇", oplus: "⊕", otimes: "⊗", perp: "⊥", sdot: "⋅", lceil: "⌈", rceil: "⌉", lfloor: "⌊" },
  ...{ rfloor: "⌋", lang: "〈", rang: "〉", loz: "◊", spades: "♠", clubs: "♣", hearts: "♥", diams: "♦" },
};
for (const [name, character] of Object.entries(others)) HTML_ENTITIES.set(name, character);
