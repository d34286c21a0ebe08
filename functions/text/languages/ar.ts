/** Arabic texts. */
import type { Texts } from "./texts.ts";

/** Of the pages and the player. */
export const shared: Texts["shared"] = {
  play: "تشغيل",
  pause: "إيقاف مؤقت",
  more: "المزيد",
  chapters: "الفصول",
  transcript: "النص المكتوب",
  credits: "المشاركون",
  follow: "متابعة التشغيل",
  subscribe: "اشتراك",
  feed: "خلاصة RSS",
  Host: "تقديم",
  "Co-host": "تقديم مشترك",
  Producer: "إنتاج",
  Guest: "ضيف",
  Editor: "مونتاج",
  Composer: "موسيقى",
};

/** Of the player. */
export const player: Texts["player"] = {
  player: "مشغل البودكاست",
  loading: "جارٍ التحميل…",
  back: "الرجوع 15 ثانية",
  forward: "التقدم 30 ثانية",
  position: "الموضع",
  of: "{0} من {1}",
  speed: "سرعة التشغيل",
  volume: "مستوى الصوت",
  mute: "كتم الصوت",
  unmute: "إلغاء الكتم",
  close: "إغلاق",
  openPage: "صفحة الحلقة",
  share: "مشاركة",
  startAt: "البدء من {0}",
  link: "الرابط",
  embed: "رمز التضمين",
  copy: "نسخ",
  copied: "تم النسخ",
  retry: "إعادة المحاولة",
  notFound: "هذه الحلقة غير متاحة.",
  notLoaded: "تعذّر التحميل.",
  noAudio: "لا يوجد صوت لهذه الحلقة.",
  badAudio: "تعذّر تحميل الصوت.",
};

/** Of the pages of podcasts and episodes. */
export const pages: Texts["pages"] = {
  episodes: "الحلقات",
  playLatest: "تشغيل أحدث حلقة",
  moreEpisodes: "المزيد من الحلقات",
  newestEpisodes: "أحدث الحلقات",
  noMoreEpisodes: "لا توجد حلقات أخرى.",
  support: "دعم البودكاست",
  website: "الموقع",
  topics: "المواضيع",
  people: "الأشخاص",
  openPage: "فتح صفحة الحلقة",
  about: "نبذة",
  chapterLink: "رابط الفصل: {0}",
  transcriptFile: "فتح النص المكتوب",
  wholeTranscript: "فتح النص المكتوب كاملًا",
  explicit: "محتوى صريح",
  image: "صورة",
  player: "المشغل",
  noAudio: "لا يوجد صوت لهذه الحلقة بعد.",
  season: "الموسم {0}",
  full: "الحلقة {0}",
  bonus: "حلقة إضافية {0}",
  trailer: "مقطع تشويقي {0}",
};
