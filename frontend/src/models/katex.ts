// KaTeX, loaded on first use or when the page is idle.

import { signal } from "@preact/signals";

/** Fonts of most formulas. */
const FONTS = ["1em KaTeX_Main", "italic 1em KaTeX_Math", "italic 1em KaTeX_Main"];
const SAMPLE = "\\mathit{KYY}_{2} = -\\frac{\\dot q_{1}^{2} - (\\mathit{XX}_{2} + 1)}{2} \\, \\cos(q_{1})";

type Typeset = (latex: string) => string;

export const typeset = signal<Typeset | null>(null);
let requested = false;

export function needKatex(): void {
  if (requested) return;
  requested = true;
  void Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(async ([{ default: katex }]) => {
    // The widths of the formulas are measured when they are drawn, so the fonts are loaded before.
    await Promise.all(FONTS.map((font) => document.fonts?.load(font)));
    const known = new Map<string, string>();
    const write: Typeset = (latex) => {
      let markup = known.get(latex);
      if (markup === undefined) {
        if (known.size > 5000) known.clear();
        markup = katex.renderToString(latex, {
          displayMode: true,
          throwOnError: false,
          output: "html",
          strict: false,
          trust: ({ command }) => command === "\\htmlData", // marks names (see names.ts)
        });
        known.set(latex, markup);
      }
      return markup;
    };
    write(SAMPLE); // typeset typical elements once, so that the first formula of a model is fast
    typeset.value = write;
  });
}

/** Load KaTeX as soon as the page is idle, so that the first equations do not wait for it. */
export function prepareKatex(): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(() => needKatex(), { timeout: 2000 });
  else setTimeout(needKatex, 200);
}
