/** Buttons of a list of which one is in the tab order: arrow keys move between them. */
export function createTabStop(list: HTMLElement, buttons: HTMLElement[], onMove?: () => void) {
  let tabStop: HTMLElement | undefined;
  list.addEventListener("keydown", (event) => {
    const from = buttons.indexOf(event.target as HTMLElement);
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (from < 0 || to === undefined || !buttons[to]) return;
    event.preventDefault();
    onMove?.();
    set(to);
    buttons[to].focus();
  });
  return set;

  function set(index: number) {
    if (tabStop) tabStop.tabIndex = -1;
    tabStop = buttons[index];
    tabStop.tabIndex = 0;
  }
}
