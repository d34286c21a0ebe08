/** Month and weekday names by their first letters, in the languages that feed software writes. */

/** From 1. Keys have up to four letters, in lower case and without accents. */
export const MONTHS = new Map<string, number>([
  ...month(1, "jan janu janv jane ene ener gen genn"),
  ...month(2, "feb febr febb fev fevr feve"),
  ...month(3, "mar marc mars marz mrz maer mrt maar"),
  ...month(4, "apr apri abr abri avr avri"),
  ...month(5, "may mayo mai maio mei maj mag magg"),
  ...month(6, "jun june juni junh juin giu giug"),
  ...month(7, "jul july juli julh juil lug lugl"),
  ...month(8, "aug augu ago agos aout aou"),
  ...month(9, "sep sept set sete sett"),
  ...month(10, "oct octo octu okt okto ott otto out outu"),
  ...month(11, "nov nove novi"),
  ...month(12, "dec dece dez deze dic dici dice"),
]);

function month(number: number, names: string): [string, number][] {
  return names.split(" ").map((name) => [name, number]);
}

/** From 0 (Sunday). English and German; weekdays of other languages are not checked. */
export const WEEKDAYS = new Map<string, number>([
  ...days("sun mon tue wed thu fri sat"),
  ...days("sund mond tues wedn thur frid satu"),
  ...days("so mo di mi do fr sa"),
  ...days("sonn mont dien mitt donn frei sams"),
]);

function days(list: string): [string, number][] {
  return list.split(" ").map((word, n) => [word, n]);
}

/**
 * Minutes east of UTC (RFC 822, 5.1, and further zones of feeds). Military letters other than Z are excluded, because
 * software used them with either sign (RFC 2822, 4.3).
 */
export const ZONES = new Map<string, number>([
  ...zones(0, "Z UT UTC GMT WET"),
  ...zones(60, "CET MET MEZ BST WEST WAT"),
  ...zones(120, "CEST MEST MESZ EET SAST CAT"),
  ...zones(180, "EEST MSK EAT"),
  ...zones(330, "IST"),
  ...zones(480, "AWST SGT HKT PHT"),
  ...zones(540, "JST KST"),
  ...zones(570, "ACST"),
  ...zones(600, "AEST"),
  ...zones(630, "ACDT"),
  ...zones(660, "AEDT"),
  ...zones(720, "NZST"),
  ...zones(780, "NZDT"),
  ...zones(-180, "BRT ART ADT"),
  ...zones(-240, "AST EDT"),
  ...zones(-300, "EST CDT"),
  ...zones(-360, "CST MDT"),
  ...zones(-420, "MST PDT"),
  ...zones(-480, "PST AKDT"),
  ...zones(-540, "AKST"),
  ...zones(-600, "HST"),
]);

function zones(minutes: number, names: string): [string, number][] {
  return names.split(" ").map((name) => [name, minutes]);
}
