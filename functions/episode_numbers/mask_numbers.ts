/** Masks numbers that are not episode numbers, before numbers without a label are searched. */

/** The masking character; titles contain no control characters. */
export const MASK_CHAR = "\u0001";

const MONTH = [
  "january february march april may june july august september october november december jan feb mar apr jun jul aug " +
  "sep sept oct nov dec",
  "januar februar marz maerz mai juni juli oktober dezember okt dez",
  "janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre",
  "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre ene abr ago dic",
  "janeiro fevereiro marco maio junho julho setembro outubro novembro dezembro",
  "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre",
  "januari februari maart augustus mei maj juni augusti oktobra",
  "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
  "ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince",
  "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta " +
  "marraskuuta joulukuuta",
  "ocak subat mart nisan mayıs haziran temmuz agustos eylul ekim kasım aralık",
  "января февраля марта апреля мая июня июля августа сентября октября ноября декабря январь февраль март апрель май",
  "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
].join(" ").split(" ").toSorted((a, b) => b.length - a.length).join("|");

/** Counted nouns: `7 Questions`, `10 Jahre`. */
const COUNTED_NOUNS =
  "years?|yrs?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|weeks?|months?|decades?|things?|ways?|tips?|reasons?|" +
  "questions?|steps?|rules?|people|mistakes?|secrets?|facts?|habits?|signs?|books?|films?|movies?|songs?|games?|" +
  "ideas?|lessons?|myths?|keys?|tricks?|words?|times?|miles?|million|billion|thousand|hundred|percent|pounds?|" +
  "dollars?|euros?|bucks|feet|degrees?|players?|teams?|women|men|kids|stars?|points?|" +
  "jahren?|tagen?|stunden?|minuten?|sekunden|wochen?|monaten?|fragen|tipps|grunde|dinge|millionen|milliarden|prozent|" +
  "uhr|grad|regeln|fehler|ans?|annees?|jours?|heures?|semaines?|mois|raisons|questions|conseils|choses|" +
  "millions|milliards|anos?|dias?|horas?|minutos?|semanas?|meses|preguntas|perguntas|consejos|dicas|razones|motivos|" +
  "cosas|coisas|formas|claves|millones|milhoes|anni|giorni|minuti|settimane|mesi|domande|consigli|motivi|cose|" +
  "milioni|miliardi|jaar|dagen|uur|minuut|weken|maanden|vragen|redenen|dingen|manieren|miljoen|miljard|" +
  "dagar|timmar|fragor|saker|miljoner|dni|godzin|pytan|sposobow|rzeczy|milionow|dnu|hodin|" +
  "лет|года?|днеи|дня|часов|минут|недель|месяцев|вопросов|причин|советов|способов|вещеи|миллионов|рублеи|процентов|" +
  "yıl|saat|dakika|soru|sey";

const UNIT =
  "km|kg|mg|cm|mm|mph|kmh|gb|mb|tb|kb|khz|mhz|ghz|hz|kw|kwh|mw|usd|eur|gbp|chf|btc|sats?|am|pm|a\\.m\\.|p\\.m\\.";
/** The end of a word or a number, in any script. */
const END = "(?![\\p{L}\\p{N}])";

/** Applied in this order: a date is masked as a whole before its parts match another pattern. */
const MASKS: RegExp[] = [
  // Dates: 2019-01-31, 31.1.2019, 1/31/19, 26.4., 2019年1月31日, 5 May 2019, May 5th, 2019, 20190131
  /(?<!\d)(?:19|20)\d\d\s?([-./_])\s?\d{1,2}\s?\1\s?\d{1,2}(?!\d)/gu,
  /(?<!\d)\d{1,2}\s?([-./_])\s?\d{1,2}\s?\1\s?(?:(?:19|20)\d\d|\d\d)(?!\d)/gu,
  /(?<!\d)\d{2,4}\s?年(?:\s?\d{1,2}\s?月)?(?:\s?\d{1,2}\s?日)?|\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?|\d{1,2}월(?:\s?\d{1,2}일)?|\d{2,4}년/gu,
  /(?<!\d)(?:0?[1-9]|[12]\d|3[01])\.\s?(?:0?[1-9]|1[0-2])\.(?!\d)/gu,
  pattern(
    `(?<![\\p{L}\\d])\\d{1,2}(?:st|nd|rd|th|er|\\.|°)?[ -]?(?:de |of |d')?(?:${MONTH})${END}\\.?(?:,? ?(?:de |del )?(?:19|20)\\d\\d(?!\\d))?`,
  ),
  pattern(`(?<![\\p{L}\\d])(?:${MONTH})\\.? \\d{1,2}(?:st|nd|rd|th)?(?:, ?(?:19|20)\\d\\d)?(?![\\d\\p{L}])`),
  pattern(`(?<![\\p{L}\\d])(?:${MONTH})\\.? ?(?:de )?(?:(?:19|20)\\d\\d|'\\d\\d)(?!\\d)`),
  /(?<!\d)(?:19|20)\d\d[01]\d[0-3]\d(?!\d)/gu,
  // Spans of years, decades, years of a century that are written short: 1939-1945, 2019/20, the 90s, '98
  /(?<!\d)\d{4}(?:[-–/]\d{2,4}|\s[-–—]\s(?:1\d|20)\d\d)(?!\d)/gu,
  /['’]\d\ds?(?![\d\p{L}])|(?<!\d)\d{2,4}['’]?s(?!\p{L})/gu,
  // Times: 10:30, 10.30 Uhr, 7pm, 7h30, 24/7
  /(?<!\d)\d{1,2}:\d\d(?::\d\d)?(?!\d)|(?<!\d)\d{1,2}h\d\d(?!\d)|24\/7/gu,
  // Money and shares: $5, 5 €, 99%
  /[$€£¥₽₹₿]\s?\d[\d.,]*\s?(?:k|m|b|bn|million|billion|mio|mrd)?(?!\p{L})|\d[\d.,]*\s?[$€£¥₽₹₿%‰]/gu,
  // Ordinals: 100th, 3rd, 2e, 5ème, 3°, 5-й
  /(?<!\d)\d+(?:st|nd|rd|th|eme|ere|er|ste|de|ieme)(?!\p{L})|(?<!\d)\d+(?:°|-?(?:ыи|ии|ая|ое|го|и|я|е|а))(?!\p{L})/gu,
  // Fractions, parts and scores: 1/3, 2 of 3, 2 von 3, 3:2, 3 vs 3
  /(?<!\d)\d{1,4}\s?(?:\/|of|von|из|out of|vs\.?|x|×)\s?\d{1,4}(?!\d)/gu,
  // Versions and decimals: 1.2.3, v2, 5.3, 2,5
  /(?<!\d)\d+(?:\.\d+)+(?!\d)|(?<!\d)\d+,\d+(?!\d)|(?<!\p{L})v\.?\s?\d+(?:\.\d+)*(?!\p{L})/gu,
  // Counted things and measures: 7 Questions, 10 km, 5 million; a sign before it: -5, +3, @1, Top 10
  pattern(`(?<![\\d\\p{L}])\\d+[ -]?(?:${COUNTED_NOUNS})${END}`),
  pattern(`(?<![\\d\\p{L}])\\d+ ?(?:${UNIT})${END}`),
  pattern(
    `(?<![\\p{L}\\d])(?:top|best of|uber|over|under|age|aged|apollo|windows|ios|route|area|iphone|covid|f|g|u) ?-?\\d+${END}`,
  ),
  /[+@~^=]\s?\d+(?!\d)/gu,
];

/** The folded text with non-episode numbers masked, letter by letter. */
export function maskNonEpisodeNumbers(folded: string): string {
  for (const each of MASKS) if (/\d/.test(folded)) folded = folded.replace(each, maskText);
  return folded;
}

export const maskText = (text: string): string => MASK_CHAR.repeat(text.length);

function pattern(source: string): RegExp {
  return new RegExp(source, "gu");
}
