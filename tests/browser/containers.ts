// Places that pages put the player in, and what its box has to be there, for tests in any browser.

/** Each with the player's width in a page of 800 pixels; "natural" is 600 or the room, if that is less. */
export const CONTAINERS: [name: string, width: "all" | "natural" | number, html: string][] = [
  ["a block", "all", "<div>{player}</div>"],
  ["a flex row", "natural", `<div style="display: flex">{player}</div>`],
  [
    "a flex column that aligns to the start",
    "natural",
    `<div style="display: flex; flex-direction: column; align-items: start">{player}</div>`,
  ],
  ["a flex column that stretches", "all", `<div style="display: flex; flex-direction: column">{player}</div>`],
  ["an inline flex row", "natural", `<div style="display: inline-flex">{player}</div>`],
  ["an inline block", "natural", `<div style="display: inline-block">{player}</div>`],
  [
    "a grid cell that aligns to the start",
    "natural",
    `<div style="display: grid; justify-items: start">{player}</div>`,
  ],
  ["a grid cell", "all", `<div style="display: grid">{player}</div>`],
  ["a float", "natural", `<div style="float: left">{player}</div>`],
  ["a block that fits its content", "natural", `<div style="width: fit-content">{player}</div>`],
  ["an absolute block", "natural", `<div style="position: absolute">{player}</div>`],
  ["a table cell", "natural", "<table cellspacing=0 cellpadding=0><td>{player}</table>"],
  ["a modal", "natural", `<dialog style="border: 0; padding: 0; max-width: 100%">{player}</dialog>`],
  ["a tab that is hidden at first", "all", "<div hidden>{player}</div>"],
  ["a sidebar of 200 pixels", 200, `<div style="width: 200px">{player}</div>`],
  ["a grid column of 180 pixels", 180, `<div style="display: grid; grid-template-columns: 180px">{player}</div>`],
  ["a list item", "all", "<ul style='padding: 0; list-style: none'><li>{player}</ul>"],
  ["a page that floats its element", "natural", "<style>castbase-player { float: inline-end }</style>{player}"],
  ["a page that makes its element a flex row", "all", "<style>castbase-player { display: flex }</style>{player}"],
  ["a page that makes its element a grid", "all", "<style>castbase-player { display: grid }</style>{player}"],
  [
    "a page that makes its element a row of its text",
    "natural",
    "<style>castbase-player { display: inline-block }</style>{player}",
  ],
  ["a page that resets all styles", "all", "<style>body * { all: unset; display: revert }</style><div>{player}</div>"],
];

/**
 * Puts the player into a container of a page, in the page, and returns what is wrong with its box: an empty list if
 * nothing is. `html` has the player.
 */
export const CHECK_CONTAINER = `async function (html, width, direction) {
  document.documentElement.dir = direction;
  document.body.innerHTML = html;
  const player = document.querySelector("castbase-player"), problems = [];
  if (!player.shadowRoot?.querySelector(".main .play-button")) {
    await new Promise((resolve) => player.addEventListener("castbase-ready", resolve));
  }
  player.closest("dialog")?.showModal();
  player.closest("[hidden]")?.toggleAttribute("hidden");
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const boxOf = (part) => player.shadowRoot.querySelector(part).getBoundingClientRect();
  const frame = boxOf(".player"), room = document.documentElement.clientWidth;
  const expected = width === "all" ? room : width === "natural" ? Math.min(600, room) : width;
  if (Math.abs(frame.width - expected) > 1) problems.push("width " + frame.width + " instead of " + expected);
  if (frame.height < 150 || frame.height > 400) problems.push("height " + frame.height);
  if (frame.left < -1 || frame.right > room + 1) problems.push("from " + frame.left + " to " + frame.right);
  if (document.documentElement.scrollWidth > room) problems.push("the page scrolls sideways");
  for (const part of [".play-button", ".title", ".rail", ".tabs"]) {
    const { left, right, top, bottom, width, height } = boxOf(part);
    if (left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom || width < 24 || height < 24) {
      problems.push(part + " at " + [left, top, right, bottom]);
    }
  }
  const centers = [".play-button", ".controls"].map((part) => boxOf(part)).map(({ left, right }) => (left + right) / 2);
  if (frame.width >= 320 && Math.abs(centers[0] - centers[1]) > 1) problems.push("the play button is beside the center");
  return problems;
}`;

/** Elements with a height, and the player's height in them; "natural" is that of its content. */
export const HEIGHTS: [name: string, height: number | "natural", html: string][] = [
  ["a CSS height", 180, `<style>castbase-player { height: 180px }</style><div>{player}</div>`],
  [
    "a CSS height in a flex row",
    180,
    `<style>castbase-player { height: 180px }</style><div style="display: flex">{player}</div>`,
  ],
  [
    "a CSS height in a float",
    80,
    `<style>castbase-player { height: 80px }</style><div style="float: left">{player}</div>`,
  ],
  ["a CSS height of a flex row", 180, `<style>castbase-player { height: 180px; display: flex }</style>{player}`],
  ["a CSS height of a grid", 180, `<style>castbase-player { height: 180px; display: grid }</style>{player}`],
  [
    "a CSS height within a border",
    180,
    `<style>castbase-player { height: 200px; padding: 9px; border: 1px solid; box-sizing: border-box }</style>{player}`,
  ],
  [
    "a CSS height that is less than a maximum",
    150,
    `<style>castbase-player { height: 100vh; max-height: 150px }</style>{player}`,
  ],
  [
    "the whole height of a definite block",
    300,
    `<style>castbase-player { height: 100% }</style><div style="height: 300px">{player}</div>`,
  ],
  [
    "the whole height of a block that is as high as the player",
    "natural",
    `<style>castbase-player { height: 100% }</style><div>{player}</div>`,
  ],
  [
    "a grid cell as high as a taller neighbor",
    "natural",
    `<div style="display: grid; grid-template-columns: 1fr 0">{player}<p style="height: 600px">`,
  ],
  [
    "a grid cell with a lower neighbor",
    "natural",
    `<div style="display: grid; grid-template-columns: 1fr 0">{player}<p style="height: 90px">`,
  ],
  [
    "a flex row as high as a taller neighbor",
    "natural",
    `<div style="display: flex">{player}<p style="height: 600px">`,
  ],
  ["a minimum", "natural", `<style>castbase-player { min-height: 400px }</style>{player}`],
  [
    "fit in a flex row as high as a neighbor",
    500,
    `<div style="display: flex">{fit}<p style="margin: 0; height: 500px">`,
  ],
  [
    "fit in the rest of a flex column",
    240,
    `<style>castbase-player { flex: 1 }</style><div style="display: flex; flex-direction: column; height: 300px"><p style="height: 60px; margin: 0; flex: none"></p>{fit}</div>`,
  ],
  ["fit in a grid cell", 240, `<div style="display: grid; grid-template-rows: 240px">{fit}</div>`],
  [
    "fit between insets",
    240,
    `<style>castbase-player { position: absolute; inset: 30px 0 }</style><div style="position: relative; height: 300px">{fit}</div>`,
  ],
  ["fit with a minimum", 400, `<style>castbase-player { min-height: 400px }</style>{fit}`],
  ["fit without a height", 180, "{fit}"],
];

/** Like CHECK_CONTAINER, for the height. */
export const CHECK_HEIGHT = `async function (html, height) {
  document.body.innerHTML = html;
  const player = document.querySelector("castbase-player");
  if (!player.shadowRoot?.querySelector(".main .play-button")) {
    await new Promise((resolve) => player.addEventListener("castbase-ready", resolve));
  }
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const frame = player.shadowRoot.querySelector(".player").getBoundingClientRect();
  const isNatural = player.shadowRoot.querySelector(".tabs").offsetHeight > 0 && frame.height > 200 && frame.height < 350;
  if (height === "natural" ? isNatural : Math.abs(frame.height - height) <= 1) return [];
  return ["height " + frame.height + " instead of " + height];
}`;

export const FRAME_WIDTHS = [180, 200, 240, 300, 320, 400, 600, 800];
export const FRAME_HEIGHTS = [80, 120, 180, 240, 320, 480, 640];

/** Returns what is wrong with the controls of a player that is as large as the window. */
export const CHECK_SIZE = `async function () {
  const player = document.querySelector("castbase-player"), problems = [], { shadowRoot } = player;
  if (!shadowRoot?.querySelector(".main .play-button")) {
    await new Promise((resolve) => player.addEventListener("castbase-ready", resolve));
  }
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const frame = shadowRoot.querySelector(".player").getBoundingClientRect();
  if (frame.width !== innerWidth || frame.height !== innerHeight) problems.push("size " + [frame.width, frame.height]);
  const nameOf = (each) => each.className || each.parentElement.className + " " + each.localName;
  const controls = [...shadowRoot.querySelectorAll("button, select, input, a")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest(".panel"));
  const boxes = controls.map((each) => {
    const clips = each.matches("a") && each.closest(".show, .title");
    const { left, top, right, bottom } = each.getBoundingClientRect(), clip = (clips || player).getBoundingClientRect();
    return {
      name: nameOf(each),
      left: Math.max(left, clip.left), right: Math.min(right, clip.right),
      top: Math.max(top, clip.top), bottom: Math.min(bottom, clip.bottom),
      isCut: !clips && (left < clip.left - 1 || right > clip.right + 1 || top < clip.top - 1 || bottom > clip.bottom + 1),
    };
  });
  for (const [i, one] of boxes.entries()) {
    const { name, left, top, right, bottom, isCut } = one;
    if (isCut) problems.push(name + " is cut");
    if (right - left < 23.5 || bottom - top < 23.5) problems.push(name + " is small: " + [right - left, bottom - top]);
    const hit = shadowRoot.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!hit || hit !== controls[i] && !controls[i].contains(hit)) problems.push(name + " is covered by " + (hit && nameOf(hit)));
    for (const other of boxes.slice(i + 1)) {
      const width = Math.min(right, other.right) - Math.max(left, other.left);
      const height = Math.min(bottom, other.bottom) - Math.max(top, other.top);
      if (width > 1 && height > 1) problems.push(name + " overlaps " + other.name);
    }
  }
  const isShown = (part) => boxes.some(({ name }) => name === part);
  for (const part of ["button play-button", "slider"]) if (!isShown(part)) problems.push(part + " is not shown");
  const textBoxes = [".title", ".time", ".duration"].map((part) => [part, shadowRoot.querySelector(part)]);
  for (const [part, element] of textBoxes) {
    const { width, height, right, bottom, left, top } = element.getBoundingClientRect();
    if (width < (part === ".title" ? 60 : 20) || height < 16) problems.push(part + " has no room: " + [width, height]);
    if (right > frame.right || bottom > frame.bottom || left < frame.left || top < frame.top) problems.push(part + " is outside");
    if (part !== ".title" && element.scrollWidth > element.clientWidth + 1) problems.push(part + " is cut");
  }
  const artwork = shadowRoot.querySelector(".artwork").getBoundingClientRect();
  const isAbove = artwork.width > 0 && artwork.bottom <= shadowRoot.querySelector(".heading").getBoundingClientRect().top;
  const center = (artwork.left + artwork.right - frame.left - frame.right) / 2;
  if (isAbove && Math.abs(center) > 1) problems.push("the artwork is " + center + " beside the center");
  const slider = shadowRoot.querySelector(".slider").getBoundingClientRect();
  if (slider.width < 60) problems.push("the slider is " + slider.width + " wide");
  for (const { scrollWidth, clientWidth, scrollHeight, clientHeight } of [document.documentElement, shadowRoot.querySelector(".player")]) {
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) problems.push("it scrolls " + [scrollWidth, scrollHeight]);
  }
  return problems;
}`;
