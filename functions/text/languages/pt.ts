/** Portuguese texts. */
import type { Texts } from "./texts.ts";

/** Of the pages and the player. */
export const shared: Texts["shared"] = {
  play: "Reproduzir",
  pause: "Pausar",
  more: "Mais",
  chapters: "Capítulos",
  transcript: "Transcrição",
  credits: "Créditos",
  follow: "Acompanhar a reprodução",
  subscribe: "Assinar",
  feed: "Feed RSS",
  Host: "Apresentação",
  "Co-host": "Coapresentação",
  Producer: "Produção",
  Guest: "Participação especial",
  Editor: "Edição",
  Composer: "Música",
};

/** Of the player. */
export const player: Texts["player"] = {
  player: "Player de podcast",
  loading: "Carregando…",
  back: "Voltar 15 segundos",
  forward: "Avançar 30 segundos",
  position: "Posição",
  of: "{0} de {1}",
  speed: "Velocidade",
  volume: "Volume",
  mute: "Silenciar",
  unmute: "Ativar o som",
  close: "Fechar",
  openPage: "Página do episódio",
  share: "Compartilhar",
  startAt: "Começar em {0}",
  link: "Link",
  embed: "Código de incorporação",
  copy: "Copiar",
  copied: "Copiado",
  retry: "Tentar de novo",
  notFound: "Este episódio não está disponível.",
  notLoaded: "Não foi possível carregar.",
  noAudio: "Este episódio não tem áudio.",
  badAudio: "Não foi possível carregar o áudio.",
};

/** Of the pages of podcasts and episodes. */
export const pages: Texts["pages"] = {
  episodes: "Episódios",
  playLatest: "Reproduzir o último episódio",
  moreEpisodes: "Mais episódios",
  newestEpisodes: "Episódios mais recentes",
  noMoreEpisodes: "Não há mais episódios.",
  support: "Apoiar o podcast",
  website: "Site",
  topics: "Temas",
  people: "Pessoas",
  openPage: "Abrir a página do episódio",
  about: "Sobre",
  chapterLink: "Link do capítulo: {0}",
  transcriptFile: "Abrir a transcrição",
  wholeTranscript: "Abrir a transcrição completa",
  explicit: "Explícito",
  image: "Imagem",
  player: "Player",
  noAudio: "Este episódio ainda não tem áudio.",
  season: "temporada {0}",
  full: "episódio {0}",
  bonus: "bônus {0}",
  trailer: "trailer {0}",
};
