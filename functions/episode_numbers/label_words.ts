/** Words that label numbers, in many languages, without case and accents (see `fold`). */
import { fold } from "./title.ts";

/** Precede an episode's number: `Episode 5`. */
export const EPISODE_LABELS = alternatives({
  en: "episode episodes ep eps epi epsd epis",
  de: "folge folgen",
  nl: "aflevering afl",
  fr: "emission",
  es_pt_gl_ca: "episodio episodios episodi capitulo cap capitol",
  it: "puntata",
  sv_da_no: "avsnitt avsn avs afsnit episod",
  fi_et: "jakso episood",
  is: "þattur",
  pl: "odcinek odc epizod",
  cs_sk_sl_hr_sr: "epizoda epizode dil nastavak",
  lt_lv: "epizodas",
  hu: "adas",
  ro: "episodul epis",
  tr: "bolum",
  el: "επεισοδιο επ",
  ru: "выпуск вып эпизод серия эп",
  uk_be: "випуск епізод серія выпуск эпізод",
  bg_sr_mk: "епизод епизода",
  he: "פרק",
  ar: "الحلقة حلقة الحلقه حلقه",
  fa_ur: "قسمت اپیزود قسط",
  hi_mr_bn_ta: "एपिसोड एपिसोड़ পর্ব এপিসোড எபிசோட்",
  th: "ตอนที่ ตอน อีพี",
  vi: "tap",
  id: "episod",
  ja: "エピソード",
  ko: "에피소드 에피",
  eo_cy_ga: "epizodo pennod eagran",
});

/** Precede a number that is usually, but not always, an episode's: `No. 5`, `Show 5`. */
export const MAYBE_EPISODE_LABELS = alternatives({
  en: "no num number nbr show session chapter lesson issue edition installment instalment broadcast lecture program " +
    "programme podcast pod vol volume e",
  de: "nr nummer ausgabe sendung kapitel lektion",
  nl: "hoofdstuk les uitzending",
  fr: "numero chapitre lecon edition",
  es_pt: "num numero programa edicion edicao entrega emision leccion aula",
  it: "capitolo lezione",
  sv_da_no: "kapittel kapitel program utgave",
  fi: "nro numero",
  pl_cs: "numer rozdzial cislo kapitola c",
  tr: "sayi",
  ru_uk: "номер подкаст передача глава урок",
  ar_he: "العدد מספר",
  vi_id: "so edisi",
});

/** Precede a number that counts something else, unless the whole feed uses it: `Part 2`. */
export const AMBIGUOUS_LABELS = alternatives({
  en: "part parts pt day week night book act phase round level stage tape disc track top step section unit " +
    "module match game gameday matchday race take page rule tip question reason lap heat year age",
  de: "teil band tag woche spieltag runde buch etappe stufe kw jahr",
  nl: "deel dag ronde boek",
  fr: "partie tome jour semaine journee livre etape",
  es_pt_it: "parte tomo dia semana jornada libro livro giorno settimana giornata libro etapa tappa",
  sv_da_no: "del bok dag vecka uke uge",
  fi_et: "osa paiva viikko",
  pl_cs_sk: "czesc cz cast tydzien den tyden",
  hu: "resz",
  tr_ro: "kisim partea",
  ru_uk: "часть ч частина том день неделя тур",
  ar_fa_he: "الجزء جزء חלק بخش",
  hi: "भाग",
  ja_ko: "パート 파트",
  vi: "phan",
});

/** Precede a season's number: `Season 2`. */
export const SEASON_LABELS = alternatives({
  en: "season series seas",
  de: "staffel",
  fr: "saison",
  es_pt: "temporada temp",
  it: "stagione",
  nl: "seizoen",
  sv_da_no: "sasong sesong sæson",
  fi: "kausi tuotantokausi",
  pl_cs_sk: "sezon seria sezona serie rada seria",
  hu_ro: "evad sezonul",
  tr: "sezon",
  el: "σεζον κυκλος",
  ru_uk: "сезон",
  he_ar_fa: "עונה الموسم موسم فصل",
  ja_ko_hi: "シーズン 시즌 सीजन सीज़न",
  th_vi_id: "ซีซั่น ซีซัน mua musim",
});

/** Follow an episode's number in some languages: `5. Folge`, `5 выпуск`. */
export const SUFFIX_LABELS = alternatives({
  de: "folge sendung ausgabe episode",
  ru_uk: "выпуск серия эпизод випуск епізод серія",
  pl: "odcinek",
  cs_sk_sl: "epizoda dil epizode",
  hu: "epizod adas",
  fi: "jakso",
  sv_da_no: "avsnittet",
  tr: "bolum",
  bg: "епизод",
  el: "επεισοδιο",
});

/** Follow a season's number: `2 сезон`, `2. Staffel`. */
export const SEASON_SUFFIX_LABELS = alternatives({
  de: "staffel",
  ru_uk: "сезон",
  pl_cs: "sezon serie rada",
  hu: "evad",
  tr: "sezon",
  fi: "kausi",
});

/** Suffixes of the number in Chinese and Japanese (with 第) and Korean, without a space. */
export const CJK_EPISODE_SUFFIXES = "期集回话話章讲講课課夜弾弹号號";
export const CJK_SEASON_SUFFIXES = "季";
export const HANGUL_EPISODE_SUFFIXES = "회차|회|화|편|강";
export const HANGUL_SEASON_SUFFIXES = "시즌|기";

/** Side items of the numbered series: they never take its numbers for certain. */
export const SIDE_LABELS = alternatives({
  en:
    "bonus trailer teaser preview promo minisode minisodes mini-episode extra extras aftershow mailbag announcement " +
    "special patreon q&a ama outtakes bloopers supplemental " +
    "clip clips highlights snippet excerpt",
  de: "bonusfolge sonderfolge sondersendung spezial spezialfolge zwischenfolge vorschau extrafolge",
  fr: "hors-serie extrait extraits",
  es_pt_it: "especial avance speciale adelanto",
  nl: "spesial bonusaflevering",
  pl_cs: "dodatek zwiastun bonusowy",
  ru_uk: "бонус трейлер спецвыпуск анонс бонусний",
  zh_ja_ko: "番外 番外編 预告 予告 特別編 おまけ 특집 번외 예고 보너스 特别篇 加更",
});

/** Episodes published again under their original number. */
export const REPEAT_LABELS = alternatives({
  en: "rerun re-run rebroadcast repeat replay re-release rerelease re-air encore throwback flashback revisited redux " +
    "remastered rewind archive archives vault classic best-of",
  de: "wiederholung archiv",
  fr: "rediffusion reprise rediff",
  es_pt_it: "redifusion reposicion repeticion reprise replica reposicao repeticao reprisado",
  nl_sv_da_no_fi: "herhaling repris genudsendelse uusinta reprise",
  pl_cs_tr_hu: "powtorka repriza tekrar ismetles",
  ru: "повтор",
  zh_ja_ko: "重播 再放送 재방송",
});

/** Longest first, so that `episodes` is not read as `episode` and a stray letter. */
function alternatives(byLanguage: Record<string, string>): string {
  return [...new Set(fold(Object.values(byLanguage).join(" ")).split(" "))]
    .toSorted((a, b) => b.length - a.length)
    .join("|");
}
