// Search in titles and keywords: words in any order; matches at the beginning of words rank first.

import type { EntryData } from "../backend/messages";
import { shortTitle, subtitle } from "./modelMenus";

export interface Candidate {
  title: string;
  /** Other names in the form of ids, such as "mass-matrix"; their beginnings count like that of the title. */
  names?: readonly string[];
  /** Complete sentence below a short title. */
  subtitle?: string | undefined;
  group: string;
  /** Additional keywords. */
  words?: string | undefined;
  /** Why it cannot be chosen; it ranks below a similar match that can. */
  disabled?: string | undefined;
}

/** Terms of textbooks and tools that are not names of a model. */
const WORDS: Record<string, string> = {
  "fast-geometry": "pose position end effector product of exponentials",
  transform: "rotation matrix orientation pose",
  jacobian: "twist screw spatial velocity",
  "inverse-dynamics": "equations of motion",
  "direct-dynamics": "equations of motion acceleration",
  lagrange: "equations of motion centrifugal",
  energy: "hamiltonian",
  "direct-dynamics-derivatives": "linearize linearise linearisation state space",
  "geometric-identification": "kinematic",
  "jacobian-determinant": "singularities",
};

/** Return the search texts of a model: titles, menu, id and aliases such as "forward-kinematics". */
export function modelCandidate(entry: EntryData): Candidate {
  const { id, title, menu, aliases } = entry;
  const words = [id, ...aliases, title, WORDS[id] ?? ""].join(" ");
  return { title: shortTitle(entry), subtitle: subtitle(entry), names: [id, ...aliases], group: menu, words };
}

const NONE = -1;

function wordScore(text: string, word: string): number {
  const index = text.indexOf(word);
  if (index < 0) return NONE;
  if (index === 0) return 4;
  return /[\s\-_(/,.]/.test(text[index - 1] ?? "") ? 3 : 1;
}

/** Return the score of a candidate; negative if it does not match. */
export function score(candidate: Candidate, query: string): number {
  const title = candidate.title.toLowerCase();
  const words = (candidate.words ?? "").toLowerCase();
  // Compounds are written with a hyphen or without it.
  const rest = `${candidate.group.toLowerCase()} ${words} ${words.replaceAll("-", "")}`;
  let total = 0;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const best = Math.max(2 * wordScore(title, word), wordScore(rest, word));
    if (best < 0) return NONE;
    const exact = words.split(/\s+/).includes(word);
    total += best + (exact ? 5 : 0);
  }
  // The title or another name begins with the query.
  const whole = query.trim().toLowerCase();
  const name = whole.replace(/\s+/g, "-");
  if (title.startsWith(whole)) total += 12;
  else if (candidate.names?.some((one) => one.startsWith(name))) total += 12;
  // The whole query is a name, such as "mass matrix" for the alias "mass-matrix".
  if (words.split(/\s+/).includes(name)) total += 10;
  return candidate.disabled ? total / 2 : total;
}

/** Return the matching candidates, best first, equal ones in their order; all candidates for an empty query. */
export function matching<T extends Candidate>(candidates: T[], query: string): T[] {
  if (!query.trim()) return candidates;
  return candidates
    .map((candidate) => ({ candidate, points: score(candidate, query) }))
    .filter(({ points }) => points > NONE)
    .sort((a, b) => b.points - a.points)
    .map(({ candidate }) => candidate);
}
