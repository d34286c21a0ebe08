-- HTML as plain text for anonymous callers, as the feed writes it (functions/text/plain_text.ts; a test compares both).
create function private.has_markup(value text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
return value ~ '<[a-zA-Z/!?]';
comment on function private.has_markup is 'True for a text in which an HTML parser finds a tag.';

-- functions/text/html_entities.ts has the same
create function private.html_entities() returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select '{
    "nbsp": "\u00a0", "iexcl": "¡", "cent": "¢", "pound": "£", "curren": "¤", "yen": "¥", "brvbar": "¦", "sect": "§",
    "uml": "¨", "copy": "©", "ordf": "ª", "laquo": "«", "not": "¬", "shy": "\u00ad", "reg": "®", "macr": "¯",
    "deg": "°", "plusmn": "±", "sup2": "²", "sup3": "³", "acute": "´", "micro": "µ", "para": "¶", "middot": "·",
    "cedil": "¸", "sup1": "¹", "ordm": "º", "raquo": "»", "frac14": "¼", "frac12": "½", "frac34": "¾", "iquest": "¿",
    "Agrave": "À", "Aacute": "Á", "Acirc": "Â", "Atilde": "Ã", "Auml": "Ä", "Aring": "Å", "AElig": "Æ",
    "Ccedil": "Ç", "Egrave": "È", "Eacute": "É", "Ecirc": "Ê", "Euml": "Ë", "Igrave": "Ì", "Iacute": "Í",
    "Icirc": "Î", "Iuml": "Ï", "ETH": "Ð", "Ntilde": "Ñ", "Ograve": "Ò", "Oacute": "Ó", "Ocirc": "Ô", "Otilde": "Õ",
    "Ouml": "Ö", "times": "×", "Oslash": "Ø", "Ugrave": "Ù", "Uacute": "Ú", "Ucirc": "Û", "Uuml": "Ü", "Yacute": "Ý",
    "THORN": "Þ", "szlig": "ß", "agrave": "à", "aacute": "á", "acirc": "â", "atilde": "ã", "auml": "ä", "aring": "å",
    "aelig": "æ", "ccedil": "ç", "egrave": "è", "eacute": "é", "ecirc": "ê", "euml": "ë", "igrave": "ì",
    "iacute": "í", "icirc": "î", "iuml": "ï", "eth": "ð", "ntilde": "ñ", "ograve": "ò", "oacute": "ó", "ocirc": "ô",
    "otilde": "õ", "ouml": "ö", "divide": "÷", "oslash": "ø", "ugrave": "ù", "uacute": "ú", "ucirc": "û",
    "uuml": "ü", "yacute": "ý", "thorn": "þ", "yuml": "ÿ", "Alpha": "Α", "Beta": "Β", "Gamma": "Γ", "Delta": "Δ",
    "Epsilon": "Ε", "Zeta": "Ζ", "Eta": "Η", "Theta": "Θ", "Iota": "Ι", "Kappa": "Κ", "Lambda": "Λ", "Mu": "Μ",
    "Nu": "Ν", "Xi": "Ξ", "Omicron": "Ο", "Pi": "Π", "Rho": "Ρ", "Sigma": "Σ", "Tau": "Τ", "Upsilon": "Υ",
    "Phi": "Φ", "Chi": "Χ", "Psi": "Ψ", "Omega": "Ω", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ",
    "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "nu": "ν", "xi": "ξ", "omicron": "ο", "pi": "π", "rho": "ρ", "sigmaf": "ς", "sigma": "σ", "tau": "τ",
    "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "amp": "&", "lt": "<", "gt": ">",
    "quot": "\u0022", "apos": "''", "ndash": "–", "mdash": "—", "hellip": "…", "bull": "•", "euro": "€",
    "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "lsaquo": "‹", "rsaquo": "›",
    "trade": "™", "OElig": "Œ", "oelig": "œ", "Scaron": "Š", "scaron": "š", "Yuml": "Ÿ", "ensp": " ",
    "emsp": " ", "thinsp": " ", "fnof": "ƒ", "zwnj": "\u200c", "zwj": "\u200d", "lrm": "\u200e",
    "rlm": "\u200f", "circ": "ˆ", "tilde": "˜", "dagger": "†", "Dagger": "‡", "permil": "‰", "prime": "′",
    "Prime": "″", "oline": "‾", "frasl": "⁄", "image": "ℑ", "real": "ℜ", "weierp": "℘", "alefsym": "ℵ",
    "thetasym": "ϑ", "upsih": "ϒ", "piv": "ϖ", "larr": "←", "uarr": "↑", "rarr": "→", "darr": "↓", "harr": "↔",
    "crarr": "↵", "lArr": "⇐", "uArr": "⇑", "rArr": "⇒", "dArr": "⇓", "hArr": "⇔", "forall": "∀", "part": "∂",
    "exist": "∃", "empty": "∅", "nabla": "∇", "isin": "∈", "notin": "∉", "ni": "∋", "prod": "∏", "sum": "∑",
    "minus": "−", "lowast": "∗", "radic": "√", "prop": "∝", "infin": "∞", "ang": "∠", "and": "∧", "or": "∨",
    "cap": "∩", "cup": "∪", "int": "∫", "there4": "∴", "sim": "∼", "cong": "≅", "asymp": "≈", "ne": "≠",
    "equiv": "≡", "le": "≤", "ge": "≥", "sub": "⊂", "sup": "⊃", "nsub": "⊄", "sube": "⊆", "supe": "⊇", "oplus": "⊕",
    "otimes": "⊗", "perp": "⊥", "sdot": "⋅", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "lang": "〈",
    "rang": "〉", "loz": "◊", "spades": "♠", "clubs": "♣", "hearts": "♥", "diams": "♦"
  }'::jsonb
$$;
comment on function private.html_entities is 'The entities of HTML 4: name to character.';

create function private.html_character(code int) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case
  when code between 128 and 159
    then substr(E'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ', code - 127, 1)
  when code in (9, 10, 13) then ' '
  when code between 32 and 55295 or code between 57344 and 1114111 then chr(code)
end;
comment on function private.html_character is
  'The character of a numeric HTML reference; 128 to 159 are windows-1252, white space is a space. Null for control '
  'characters, surrogates and numbers beyond Unicode, which XML forbids.';

create function private.decode_html(value text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  decoded text;
begin
  if strpos(value, '&') = 0 then
    return value;  -- the usual case
  end if;
  select string_agg(
      coalesce(c.letter || substr(p.piece, strpos(p.piece, ';') + 1),
        case when p.n > 1 then '&' else '' end || p.piece),
      '' order by p.n)
  into decoded
  from string_to_table(value, '&') with ordinality p (piece, n)
  left join lateral (
    select case when r.name ~ '^#' then private.html_character(replace(lower(r.name), '#', '0')::int)
      else private.html_entities() ->> r.name end
    from substring(p.piece from '^(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]+[0-9]*);') r (name)
  ) c (letter) on p.n > 1;
  return decoded;
end $$;
comment on function private.decode_html is
  'Decodes character references once. References without a semicolon, or to no character, stay.';

create function private.plain_text(value text) returns text
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
declare
  plain text := value;
begin
  if value is null or not private.has_markup(value) then
    return value;
  end if;
  if plain ~* '<(?:!--|script|style)' then
    -- separately: a top-level alternation would make each of them greedy
    plain := regexp_replace(plain, '<!--.*?(?:-->|$)', '', 'g');
    plain := regexp_replace(plain, '<script\M.*?(?:</script\s*>|$)', '', 'gi');
    plain := regexp_replace(plain, '<style\M.*?(?:</style\s*>|$)', '', 'gi');
  end if;
  -- each block becomes a line; the white space is JavaScript's \s
  plain := regexp_replace(replace(plain, E'\n', ' '),
    '</?(?:address|article|blockquote|br|dd|div|dl|dt|figure|h[1-6]|hr|li|ol|p|pre|section|table|tr|ul)\M[^<>]*>',
    E'\n', 'gi');
  plain := private.decode_html(regexp_replace(plain, '<[a-zA-Z/!?][^<>]*>', '', 'g'));
  -- a single space is not replaced, which would take most of the time
  plain := regexp_replace(plain, '[\t\v-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]{2,}'
    '|[\t\v-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]', ' ', 'g');
  plain := btrim(regexp_replace(plain, ' ?\n[\n ]*', E'\n', 'g'), E' \n');
  -- escapes decoded tags, so that clients which insert the text as HTML stay safe
  return regexp_replace(plain, '<(?=[a-zA-Z/!?])', '&lt;', 'g');
end $$;
comment on function private.plain_text is
  'Converts a text that may hold HTML to plain text for public readers; the result has no tag.';

create function private.has_content(html text) returns boolean
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
begin
  -- most texts begin with visible content, maybe in tags: plain_text would take a hundred times as long
  if left(html, 200) ~ '^(\s|&nbsp;|<(?![sS]([cC][rR]|[tT][yY]))[a-zA-Z/][^<>]*>)*'
      '[!-%''-;=?-~\u00ae-\u0600\u0620-\u1600\u2010-\u2027\u3001-\ud7ff\U0001f000-\U0001ffff]' then
    return true;
  end if;
  -- a cut HTML tag or reference would look like text
  if octet_length(html) > 4000 and private.has_content(regexp_replace(left(html, 1000), '[<&][^<>&;]*$', '')) then
    return true;
  end if;
  if html !~ '[<&]' then
    return not private.is_blank(html);
  end if;
  -- editors leave empty paragraphs
  return not private.is_blank(private.plain_text('<p>' || html))
    or regexp_replace(html, '<!--.*?(?:-->|$)', '', 'g') ~* '<img\M';
end $$;
comment on function private.has_content is 'True for HTML with visible text or an image.';

create function private.escape_html(value text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return replace(replace(replace(replace(replace(value, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'),
    '''', '&#39;');
end $$;
comment on function private.escape_html is 'Escapes a text for HTML, in elements and in quoted attributes.';
