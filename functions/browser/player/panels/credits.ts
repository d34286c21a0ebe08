/** The panel with the credits. */
import type { Context } from "../context.ts";
import type { Credit } from "../data.ts";
import { create, link, picture } from "../dom.ts";
import type { PlayerTexts } from "../player_texts.ts";

export function fillCredits(panel: HTMLElement, { texts, media: { episode } }: Context) {
  const item = ({ name, roleLabel, avatarUrl: url, avatarCopies: copies, externalUrl }: Credit) => {
    const role = create("small", {}, texts[roleLabel as keyof PlayerTexts] ?? roleLabel);
    const person = create("span", {}, link(externalUrl, name), role);
    return create("li", { part: "credit" }, picture({ url, copies }, name, "avatar", "3em"), person);
  };
  panel.append(create("ul", { role: "list" }, ...episode.credits!.map(item)));
}
