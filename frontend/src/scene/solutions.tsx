// All postures with the current pose of the end effector, as a list and as transparent pictures.

import type { JointView } from "../backend/messages";
import type { Control } from "./control";
import { degrees } from "./jointspanel";
import { digits, toShown } from "./joints";

function number(joint: JointView, value: number): string {
  return toShown(joint, value, degrees.value).toFixed(digits(joint, degrees.value));
}

export function Solutions({ control }: { control: Control }) {
  const view = control.drawn.value;
  const solutions = control.solutions.value;
  if (!view) return null;
  const shown = view.joints.flatMap((joint, k) => (joint.opened ? [] : [k]));
  return (
    <>
      <p class="sc-hint">Postures that bring frame {control.endFrame()} to the same pose, by inverse geometry.</p>
      <div class="sc-row">
        <button class="sc-main" data-testid="scene-solve" disabled={control.solving.value} onClick={() => void control.solve()}>
          {control.solving.value ? "solving …" : "All solutions of this pose"}
        </button>
        {solutions && <button onClick={() => control.clearSolutions()}>Clear</button>}
      </div>
      {solutions && (
        <ol class="sc-solutions" data-testid="scene-solutions">
          {solutions.map((solution, n) => (
            <li key={n}>
              <button onClick={() => control.goTo(solution)} title="Go to this posture">
                {shown.map((k) => (
                  <span key={k}>{number(view.joints[k]!, solution.q[k]!)}</span>
                ))}
                {solution.status !== "valid" && <em>{solution.status}</em>}
              </button>
            </li>
          ))}
          {!solutions.length && <li class="sc-hint">There is no solution.</li>}
        </ol>
      )}
    </>
  );
}
