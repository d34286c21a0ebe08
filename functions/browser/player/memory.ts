/** What the player remembers in this browser: positions of the last episodes, speed and volume. */
const KEY = "castbase-player", MAX_POSITIONS = 50;
/** Positions this close to the beginning or the end are not remembered. */
const MARGIN_SECONDS = 5;

interface Memory {
  /** Episode id and seconds, the newest last. */
  positions: [string, number][];
  speed?: number;
  volume?: number;
}

/** Used while the browser forbids storage. */
let copy: Memory = { positions: [] };

export function remembered(): Memory {
  try {
    const { positions, speed, volume } = JSON.parse(localStorage.getItem(KEY)!);
    copy = {
      positions: positions.filter(([, seconds]: number[]) => seconds > 0),
      speed: speed >= 0.5 && speed <= 4 ? speed : undefined,
      volume: volume > 0 && volume <= 1 ? volume : undefined,
    };
  } catch { /* nothing stored, not ours, or forbidden */ }
  return copy;
}

export function remember(changes: Partial<Memory>) {
  copy = { ...remembered(), ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(copy));
  } catch { /* forbidden or full */ }
}

export const rememberedPosition = (id: string) => remembered().positions.find(([known]) => known === id)?.[1];

export function rememberPosition(id: string, seconds: number, duration: number) {
  const positions = remembered().positions.filter(([known]) => known !== id);
  if (seconds >= MARGIN_SECONDS && seconds <= duration - MARGIN_SECONDS) positions.push([id, Math.floor(seconds)]);
  remember({ positions: positions.slice(-MAX_POSITIONS) });
}
