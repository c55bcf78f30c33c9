// KaTeX, fetched when first needed or when the page has nothing else to do.

import { signal } from "@preact/signals";

/** The fonts that formulas begin with: fetched with KaTeX, not when the first formula waits for them. */
const FONTS = ["1em KaTeX_Main", "italic 1em KaTeX_Math", "italic 1em KaTeX_Main"];
const SAMPLE = "\\mathit{KYY}_{2} = -\\frac{\\dot q_{1}^{2} - (\\mathit{XX}_{2} + 1)}{2} \\, \\cos(q_{1})";

type Typeset = (latex: string) => string;

export const typeset = signal<Typeset | null>(null);
let requested = false;

export function needKatex(): void {
  if (requested) return;
  requested = true;
  void Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(([{ default: katex }]) => {
    const known = new Map<string, string>();
    for (const font of FONTS) void document.fonts?.load(font);
    const write: Typeset = (latex) => {
      let markup = known.get(latex);
      if (markup === undefined) {
        if (known.size > 5000) known.clear();
        markup = katex.renderToString(latex, { displayMode: true, throwOnError: false, output: "html", strict: false });
        known.set(latex, markup);
      }
      return markup;
    };
    write(SAMPLE); // the engine has then seen what most formulas are made of
    typeset.value = write;
  });
}

/** Fetches KaTeX as soon as nothing else is to be done, so that the first equations need not wait for it. */
export function prepareKatex(): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(() => needKatex(), { timeout: 2000 });
  else setTimeout(needKatex, 200);
}
