/** Formats of values in elements that the service does not model. */
import { toUri } from "../text/uri.ts";

/**
 * Returns the value as a valid feed has it; undefined if it is invalid. `attribute` reads the attributes of the value's
 * element.
 */
export type Format = (value: string, attribute: (name: string) => string | undefined) => string | undefined;

export const anyText: Format = (value) => value;

/** Without the white space around it, which no specification counts. */
const matching = (format: RegExp | ((value: string) => boolean)): Format => (value) => {
  const trimmed = value.trim();
  return (format instanceof RegExp ? format.test(trimmed) : format(trimmed)) ? trimmed : undefined;
};

export const oneOf = (...values: string[]): Format => matching((value) => values.includes(value));
export const upTo = (maxChars: number): Format => (value) =>
  value.length <= maxChars || [...value].length <= maxChars ? value : undefined;

export const NATURAL = matching(/^\d{1,15}$/);
export const POSITIVE = matching(/^0{0,9}[1-9]\d{0,14}$/);
export const INTEGER = matching(/^[+-]?\d{1,15}$/);
export const NUMBER = matching(/^\d{1,15}(?:\.\d{0,20})?$/);
export const SIGNED_NUMBER = matching(/^[+-]?\d{1,15}(?:\.\d{0,20})?$/);
export const INTEGERS = matching(/^\d{1,15}(?:,\s?\d{1,15}){0,100}$/);
export const BOOLEAN = matching(/^(?:true|false)$/i);

const isDegree = (value: string, max: number) => /^[+-]?\d{1,3}(?:\.\d{0,20})?$/.test(value) && Math.abs(+value) <= max;
export const LATITUDE = matching((value) => isDegree(value, 90));
export const LONGITUDE = matching((value) => isDegree(value, 180));

const COORDINATE = /^[+-]?\d{1,10}(?:\.\d{0,20})?$/;
const isPath = (value: string, min: number, max: number) => {
  const numbers = value.split(/\s+/, max + 1);
  return numbers.length >= min && numbers.length <= max && numbers.length % 2 === 0 &&
    numbers.every((number) => COORDINATE.test(number));
};
/** https://docs.ogc.org/cs/17-002r1/17-002r1.html */
export const POINT = matching((value) => isPath(value, 2, 2));
export const POINTS = matching((value) => isPath(value, 4, 10_000));

/** The URI characters of RFC 2396. */
const URI_CHARS = "[\\w;/?:@&=+$.!~*'()%,#-]";
const ABSOLUTE = new RegExp(`^[a-z][a-z0-9+.-]*:${URI_CHARS}+$`, "i");
const REFERENCE = new RegExp(`^${URI_CHARS}*$`);
const URN = /^urn:[a-z0-9][a-z0-9-]{1,31}:(?:[\w()+,.:=@;$!*'-]|%[0-9a-f]{2})+$/i;
const UUID_URN = /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TAG_URI = /^tag:(?:[a-z0-9._-]+@)?[a-z0-9.-]+,\d{4}(?:-\d\d(?:-\d\d)?)?:[\w;/?:@&=+$.!~*'()%,#-]*$/;

function hasValidScheme(uri: string): boolean {
  if (/^urn:/i.test(uri)) return (/^urn:uuid:/i.test(uri) ? UUID_URN : URN).test(uri);
  if (/^tag:/i.test(uri)) return TAG_URI.test(uri);
  return !/^(?:https?|ftp):(?!\/\/[^/])/i.test(uri);
}

export const isUriReference = (value: string) => REFERENCE.test(value) && hasValidScheme(value);
const isAbsoluteUri = (value: string) => ABSOLUTE.test(value) && hasValidScheme(value);

/** A URL that a person typed becomes one that browsers send. */
const encoded = (isValid: (value: string) => boolean): Format => (value) => {
  const trimmed = value.trim();
  if (isValid(trimmed)) return trimmed;
  const uri = toUri(trimmed);
  return isValid(uri) ? uri : undefined;
};
export const URI = encoded(isAbsoluteUri);
export const URI_REFERENCE = encoded(isUriReference);

/** RFC 5646, 2.1; no language has four to eight letters. */
export const LANGUAGE = matching(/^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,9}$/i);
/** RFC 9110, 8.3.1 */
export const MEDIA_TYPE = matching(
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:\s*;\s*[\w.+-]{1,99}=(?:"[^"]*"|[\w.+-]{1,99}))*$/,
);

const addresses = "[\\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\\.){1,9}[a-z0-9][a-z0-9-]{0,62}";
/** `ana@a.example`, and `ana@a.example (Ana)`. */
export const MAILBOX = matching(new RegExp(`^${addresses}(?: ?\\([^()]*\\))?$`, "i"));
export const ADDRESS = matching(new RegExp(`^${addresses}$`, "i"));

const TIME = "T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,9})?)?";
const ZONE = "(?:Z|[+-]\\d\\d:\\d\\d)";
const isDate = (format: RegExp) => (value: string) => {
  if (!format.test(value) || value.startsWith("0000")) return false;
  const [year, month = 1, day = 1] = value.split("T")[0].split("-").map(Number);
  return month >= 1 && month <= 12 && day >= 1 &&
    new Date(Date.UTC(2000 + year % 400, month - 1, day)).getUTCDate() === day;
};
/** https://www.w3.org/TR/NOTE-datetime */
export const W3C_DATE = matching(isDate(new RegExp(`^\\d{4}(?:-\\d\\d(?:-\\d\\d(?:${TIME}${ZONE})?)?)?$`)));
export const ISO_DATE = matching(isDate(new RegExp(`^\\d{4}(?:-\\d\\d(?:-\\d\\d(?:${TIME}${ZONE}?)?)?)?$`)));
export const RFC_3339 = matching(
  isDate(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?${ZONE}$`)),
);
