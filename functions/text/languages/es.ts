/** Spanish texts. */
import type { Texts } from "./texts.ts";

/** Of the pages and the player. */
export const shared: Texts["shared"] = {
  play: "Reproducir",
  pause: "Pausar",
  more: "Más",
  chapters: "Capítulos",
  transcript: "Transcripción",
  credits: "Créditos",
  follow: "Seguir la reproducción",
  subscribe: "Suscribirse",
  feed: "Canal RSS",
  Host: "Presentación",
  "Co-host": "Copresentación",
  Producer: "Producción",
  Guest: "Invitación especial",
  Editor: "Edición",
  Composer: "Música",
};

/** Of the player. */
export const player: Texts["player"] = {
  player: "Reproductor de pódcast",
  loading: "Cargando…",
  back: "Retroceder 15 segundos",
  forward: "Avanzar 30 segundos",
  position: "Posición",
  of: "{0} de {1}",
  speed: "Velocidad",
  volume: "Volumen",
  mute: "Silenciar",
  unmute: "Activar el sonido",
  close: "Cerrar",
  openPage: "Página del episodio",
  share: "Compartir",
  startAt: "Empezar en {0}",
  link: "Enlace",
  embed: "Código para insertar",
  copy: "Copiar",
  copied: "Copiado",
  retry: "Reintentar",
  notFound: "Este episodio no está disponible.",
  notLoaded: "No se ha podido cargar.",
  noAudio: "Este episodio no tiene audio.",
  badAudio: "No se ha podido cargar el audio.",
};

/** Of the pages of podcasts and episodes. */
export const pages: Texts["pages"] = {
  episodes: "Episodios",
  playLatest: "Reproducir el último episodio",
  moreEpisodes: "Más episodios",
  newestEpisodes: "Episodios más recientes",
  noMoreEpisodes: "No hay más episodios.",
  support: "Apoyar el pódcast",
  website: "Sitio web",
  topics: "Temas",
  people: "Personas",
  openPage: "Abrir la página del episodio",
  about: "Acerca de",
  chapterLink: "Enlace del capítulo: {0}",
  transcriptFile: "Abrir la transcripción",
  wholeTranscript: "Abrir la transcripción completa",
  explicit: "Explícito",
  image: "Imagen",
  player: "Reproductor",
  noAudio: "Este episodio aún no tiene audio.",
  season: "temporada {0}",
  full: "episodio {0}",
  bonus: "extra {0}",
  trailer: "tráiler {0}",
};
