// Syntax colours of source code: highlight.js with one language at a time, loaded on first use.

import type { HLJSApi, LanguageFn } from "highlight.js";

const LONGEST = 300_000; // characters; a longer text is shown without colours

const GRAMMARS: Record<string, () => Promise<{ default: LanguageFn }>> = {
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  fortran: () => import("highlight.js/lib/languages/fortran"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  julia: () => import("highlight.js/lib/languages/julia"),
  latex: () => import("highlight.js/lib/languages/latex"),
  mathematica: () => import("highlight.js/lib/languages/mathematica"),
  matlab: () => import("highlight.js/lib/languages/matlab"),
  python: () => import("highlight.js/lib/languages/python"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
};

const ENDINGS: [RegExp, string][] = [
  [/\.[ch]$/, "c"],
  [/\.(hpp|cpp|cc|hh)$/, "cpp"],
  [/\.f\d\d$/, "fortran"],
  [/\.ts$/, "typescript"],
  [/\.m?js$/, "javascript"],
  [/\.jl$/, "julia"],
  [/\.tex$/, "latex"],
  [/\.wls?$/, "mathematica"],
  [/\.m$/, "matlab"],
  [/\.py$/, "python"],
];

export function grammarOf(name: string): string | undefined {
  return ENDINGS.find(([pattern]) => pattern.test(name))?.[1];
}

let core: Promise<HLJSApi> | undefined;

/** Return the text of a file as HTML with colours; null if it is shown without colours. */
export async function highlighted(name: string, text: string): Promise<string | null> {
  const grammar = grammarOf(name);
  if (!grammar || text.length > LONGEST) return null;
  core ??= import("highlight.js/lib/core").then((module) => module.default);
  const [highlighter, language] = await Promise.all([core, GRAMMARS[grammar]!()]);
  if (!highlighter.getLanguage(grammar)) highlighter.registerLanguage(grammar, language.default);
  return highlighter.highlight(text, { language: grammar }).value;
}
