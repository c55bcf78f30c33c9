// Components that the panels of computed motions share.

import type { Problem } from "../backend/backend";
import type { Runs } from "./runs";

/** Progress of a computation, with a button to stop it. */
export function Running({ runs }: { runs: Runs }) {
  const progress = runs.progress.value;
  if (!runs.running.value || !progress) return null;
  const { step, done, total } = progress;
  return (
    <div class="sc-running" role="status" data-testid="scene-running">
      <progress value={total ? done : undefined} max={total || undefined} />
      <span>{step ?? "waiting"}</span>
      <button onClick={() => runs.stop()} data-testid="scene-stop">
        Stop
      </button>
    </div>
  );
}

export function Wrong({ problem }: { problem: Problem | null }) {
  if (!problem) return null;
  const place = problem.place as { line?: number; column?: number } | undefined;
  return (
    <div class="sc-wrong" role="alert" data-testid="scene-wrong">
      {place?.line !== undefined && <b>line {place.line}: </b>}
      {problem.message}
      {problem.hint && <p>{problem.hint}</p>}
      {(problem.problems ?? []).length > 1 && (
        <ul>
          {problem.problems!.slice(0, 6).map((one) => (
            <li>{String(one)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
