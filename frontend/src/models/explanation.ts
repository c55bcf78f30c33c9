// Parse the text of `explain` for display in the page.

export interface Explanation {
  choices: string[];
  passes: { name: string; before: number; after: number }[];
  /** Operation count of the same model in SYMORO's published form, as text. */
  papers: string | null;
}

const PASS = /^pass (\S+): (\d+) -> (\d+) operations$/;

export function parseExplanation(lines: readonly string[]): Explanation {
  const explanation: Explanation = { choices: [], passes: [], papers: null };
  for (const line of lines) {
    const pass = PASS.exec(line);
    if (pass) explanation.passes.push({ name: pass[1]!, before: Number(pass[2]), after: Number(pass[3]) });
    else if (line.startsWith("formulation: ")) explanation.choices.push(line.slice("formulation: ".length));
    else if (line.startsWith("the formulation of SYMORO+ has ")) explanation.papers = line;
  }
  return explanation;
}
