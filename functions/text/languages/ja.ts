/** Japanese texts. */
import type { Texts } from "./texts.ts";

/** Of the pages and the player. */
export const shared: Texts["shared"] = {
  play: "再生",
  pause: "一時停止",
  more: "その他",
  chapters: "チャプター",
  transcript: "文字起こし",
  credits: "クレジット",
  follow: "再生に追従",
  subscribe: "購読",
  feed: "RSSフィード",
  Host: "ホスト",
  "Co-host": "共同ホスト",
  Producer: "プロデューサー",
  Guest: "ゲスト",
  Editor: "編集",
  Composer: "作曲",
};

/** Of the player. */
export const player: Texts["player"] = {
  player: "ポッドキャストプレーヤー",
  loading: "読み込み中…",
  back: "15秒戻る",
  forward: "30秒進む",
  position: "再生位置",
  of: "{1}中{0}",
  speed: "再生速度",
  volume: "音量",
  mute: "ミュート",
  unmute: "ミュート解除",
  close: "閉じる",
  openPage: "エピソードのページ",
  share: "共有",
  startAt: "{0}から再生",
  link: "リンク",
  embed: "埋め込みコード",
  copy: "コピー",
  copied: "コピーしました",
  retry: "再試行",
  notFound: "このエピソードは利用できません。",
  notLoaded: "読み込めませんでした。",
  noAudio: "このエピソードには音声がありません。",
  badAudio: "音声を読み込めませんでした。",
};

/** Of the pages of podcasts and episodes. */
export const pages: Texts["pages"] = {
  episodes: "エピソード",
  playLatest: "最新のエピソードを再生",
  moreEpisodes: "さらにエピソードを表示",
  newestEpisodes: "最新のエピソード",
  noMoreEpisodes: "これ以上エピソードはありません。",
  support: "番組を支援",
  website: "ウェブサイト",
  topics: "トピック",
  people: "出演者",
  openPage: "エピソードのページを開く",
  about: "概要",
  chapterLink: "チャプターのリンク：{0}",
  transcriptFile: "文字起こしを開く",
  wholeTranscript: "文字起こし全文を開く",
  explicit: "露骨な表現",
  image: "画像",
  player: "プレーヤー",
  noAudio: "このエピソードにはまだ音声がありません。",
  season: "シーズン{0}",
  full: "エピソード{0}",
  bonus: "ボーナス{0}",
  trailer: "予告編{0}",
};
