/** The frame that shows the player on other pages, and its sizes: those of player.css, in pixels. */

/** Of a frame without limits. A bar has one row; the list of a show's episodes needs more than one. */
export const PLAYER_WIDTH = 600, PLAYER_HEIGHT = 180, SHOW_HEIGHT = 420, BAR_HEIGHT = 80;
/** The controls of a bar fit into this width, and all others into the second one. */
export const MIN_WIDTH = 180, MIN_PLAYER_WIDTH = 320;

export interface FrameSize {
  width: number;
  height: number;
}

/** The largest size within limits, with a list of episodes or without; undefined if the player fits into none. */
export function fitPlayer(maxWidth = Infinity, maxHeight = Infinity, hasList = false): FrameSize | undefined {
  const width = Math.min(PLAYER_WIDTH, maxWidth);
  const heights = width < MIN_PLAYER_WIDTH
    ? [BAR_HEIGHT]
    : [...hasList ? [SHOW_HEIGHT] : [], PLAYER_HEIGHT, BAR_HEIGHT];
  const height = heights.find((each) => each <= maxHeight);
  return width < MIN_WIDTH || !height ? undefined : { width, height };
}

/** A player of one episode in the height of a show's has room to spare, so that a frame says which one it has. */
export const fitsList = (size: FrameSize | undefined) => size?.height === SHOW_HEIGHT;

/** The element, as HTML that is XML too. */
export const playerFrame = (
  src: string,
  title: string,
  { width, height }: { width: number | string; height: number },
) =>
  `<iframe src="${escapeHtml(src)}" width="${width}" height="${height}" title="${escapeHtml(title)}" loading="lazy" ` +
  `frameborder="0" allow="autoplay; clipboard-write; web-share" ` +
  `sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>`;

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
