// Singularities by type, with the factors of the determinant and their magnitudes at the displayed posture.

import { useEffect, useMemo } from "preact/hooks";

import type { SingularityDistances } from "../backend/messages";
import { Formula } from "../models/formula";
import { needKatex } from "../models/katex";
import type { Control } from "./control";
import { NEAR, ZERO } from "./factors";
import type { NearCondition } from "./singular";

export function SingularPanel({ control }: { control: Control }) {
  const { singular } = control;
  useEffect(() => void needKatex(), []);
  if (singular.problem.value) return <p class="sc-hint">{singular.problem.value}</p>;
  const answer = singular.answer.value;
  if (!answer) return <p class="sc-hint" role="status">{singular.running.value ? "Deriving the singularities …" : "Open a robot."}</p>;
  const [first, ...others] = answer.cases;
  const common = others.length ? first!.notes.filter((note) => others.every(({ notes }) => notes.includes(note))) : [];
  const distances = singular.distances.value;
  return (
    <div data-testid="scene-singularities">
      {common.map((note) => (
        <p class="sc-hint" key={note}>
          All types: {note}
        </p>
      ))}
      {answer.cases.map((one) => (
        <section key={one.kind} class="sc-singular">
          <h2>{one.kind}</h2>
          <p class="sc-hint">
            {one.title}; {one.matrix}
          </p>
          {one.always && <p class="sc-near">zero in every configuration</p>}
          {!one.always && !one.conditions.length && <p class="sc-hint">{one.complete ? "never zero" : "no condition could be written"}</p>}
          {one.kind === "serial" && <Lost control={control} />}
          <ul>
            {singular.conditions.value.filter(({ of }) => of === one).map((near, k) => (
              <Condition key={k} near={near} control={control} />
            ))}
          </ul>
          {!one.complete && one.conditions.length > 0 && <p class="sc-hint">There may be other singular configurations.</p>}
          {one.notes.filter((note) => !common.includes(note)).map((note) => (
            <p class="sc-hint" key={note}>
              {note}
            </p>
          ))}
          <Distance of={one.kind} among={distances} />
        </section>
      ))}
      {distances && (
        <section class="sc-singular">
          <h2>passive</h2>
          <p class="sc-hint">passive joints can move while the frame and the active joints are at rest</p>
          <Distance of="passive" among={distances} />
        </section>
      )}
    </div>
  );
}

/** Distance of the displayed posture from the singularities of one type. */
function Distance({ of, among }: { of: keyof SingularityDistances; among: SingularityDistances | "requested" | null }) {
  if (!among) return null;
  const value = among === "requested" ? undefined : among[of];
  const text = value === undefined ? "…" : value === null ? "none of this type" : value < ROUND_OFF ? "0, singular" : value.toPrecision(3);
  return (
    <p class="sc-distance" title="Smallest ratio of velocities, or of forces for constraints; zero at a singularity. Angular velocities are multiplied by 1 m.">
      distance of this posture: <output>{text}</output>
    </p>
  );
}

/** Motions of the end effector that are lost in the displayed posture. */
function Lost({ control }: { control: Control }) {
  const texts = control.singular.lostTexts();
  if (!texts.length) return null;
  return (
    <div class="sc-lost" role="status" data-testid="scene-lost">
      {texts.map((text) => (
        <p key={text}>{text}.</p>
      ))}
      <p class="sc-hint">Directions in frame 0, drawn in the picture.</p>
    </div>
  );
}

function Condition({ near: { condition, share }, control }: { near: NearCondition; control: Control }) {
  const { singular } = control;
  const view = control.drawn.value;
  const part = useMemo(() => singular.partOf(condition), [condition, view]);
  // With closed loops this is known after iterations, which are made when they are wanted.
  const reachable = useMemo(() => view!.loops.length > 0 || singular.postureOf(condition) !== null, [condition, view]);
  const state = share === null ? "unknown" : share < ZERO ? "singular" : share < NEAR ? "near" : "away";
  return (
    <li class={`sc-factor sc-factor-${state}`} data-state={state} data-joints={condition.joints.join(" ")}>
      <div class="sc-factor-head">
        <b class="sc-factor-part">{part}</b>
        {reachable && (
          <button
            class="sc-go"
            title="Move to a posture nearby that is singular under this condition, and under no other one if possible"
            onClick={() => {
              const posture = singular.postureOfAlone(condition);
              if (posture) control.jump(posture);
              else control.warn("No singular posture was reached from here; the lengths of the links or the joint limits may exclude it.");
            }}
          >
            Go there
          </button>
        )}
      </div>
      {condition.latex.map((latex) => (
        <Formula key={latex} class="sc-factor-formula" latex={`${latex} = 0`} />
      ))}
      {condition.factors.length > 1 && <span class="sc-hint">all at the same time</span>}
      {condition.solution && <span class="sc-hint">at {condition.solution.replace(/\bpi\b/g, "π")}</span>}
      <meter min={0} max={1} value={share ?? 1} aria-label="relative magnitude" />
      <output>{TEXTS[state] ?? `${percent(share!)} of the largest value`}{state === "near" ? `: ${percent(share!)}` : ""}</output>
    </li>
  );
}

/** Distances below it are zero: loops are closed to about 1e-9 of the size of the robot. */
const ROUND_OFF = 1e-6;

const TEXTS: Record<string, string> = { singular: "zero: singular configuration", near: "approaches zero", unknown: "no number" };

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}
