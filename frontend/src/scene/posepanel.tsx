// Pose of a frame as numbers that can be read off and typed, and the list of all solutions of this pose.

import { useSignal } from "@preact/signals";

import type { JointView, View } from "../backend/messages";
import type { Store } from "../store/store";
import { SINGULAR } from "./configuration";
import type { Control } from "./control";
import { letter } from "./dragging";
import { handledFrame, hasEnd } from "./extras";
import { ghostColour } from "./ghosts";
import { Choice } from "./choice";
import { degrees, Field } from "./jointspanel";
import { fixed, fromShown, pointDecimals, shownText } from "./joints";
import { angles, fromQuaternion, pose, quaternion, type Triple } from "./pose";
import type { PoseSolution } from "./poseSolver";
import type { GizmoAxes, GizmoMode } from "./scene";
import { storedSignal } from "../models/storedSignal";

const ANGLE = { kind: "R" } as JointView;
const POSITIONS = ["x", "y", "z"];
const ANGLES = ["roll", "pitch", "yaw"];
const rotation = storedSignal("rotation", "angles");

export function PosePanel({ store, control }: { store: Store; control: Control }) {
  const view = control.drawn.value;
  const { dragging } = control;
  const frame = dragging.frame.value;
  if (!view || frame === null) return null;
  const count = view.frames.length + (view.tool ? 1 : 0);
  const first = control.hasMovableBase() ? 0 : 1;
  const title = (j: number): string => (j === 0 ? "0 base" : j > view.frames.length ? (view.tool ?? "tool") : `${j} ${view.frames[j - 1]!.name}`);
  const frames = Array.from({ length: count + 1 - first }, (_, k) => [String(k + first), title(k + first)] as [string, string]);
  return (
    <>
      <Choice
        label="frame"
        options={frames}
        value={String(frame)}
        onChoice={(value) => (dragging.chosen.value = Number(value) === handledFrame(view) ? null : Number(value))}
      />
      <Choice<GizmoAxes>
        label="handles along the axes"
        options={[["world", "of the world"], ["frame", "of the frame"]]}
        value={dragging.axes.value}
        onChoice={(value) => (dragging.axes.value = value)}
      />
      <PoseFields store={store} control={control} view={view} frame={frame} />
      {hasEnd(view) && <Solutions store={store} control={control} />}
    </>
  );
}

const MODES: [GizmoMode, string][] = [
  ["translate", "Move"],
  ["rotate", "Turn"],
];

export function Modes({ control }: { control: Control }) {
  const { dragging } = control;
  return (
    <span class="sc-modes" role="group" aria-label="Handles">
      {MODES.map(([mode, text]) => (
        <button
          key={mode}
          aria-pressed={dragging.on.value && dragging.mode.value === mode}
          title={`${text} a frame by its handles (G)`}
          data-testid={`scene-${mode}`}
          onClick={() => {
            const off = dragging.on.value && dragging.mode.value === mode;
            dragging.on.value = !off;
            dragging.mode.value = mode;
          }}
        >
          {text}
        </button>
      ))}
    </span>
  );
}

function PoseFields({ store, control, view, frame }: { store: Store; control: Control; view: View; frame: number }) {
  // The posture and the base determine the pose.
  void store.q.value;
  void store.base.value;
  const { dragging } = control;
  const T = dragging.pose();
  if (T.length !== 16) return null;
  const at: Triple = [T[3]!, T[7]!, T[11]!];
  const turn = angles(T);
  const replaced = (values: number[], k: number, value: number): number[] => values.map((old, i) => (i === k ? value : old));
  return (
    <fieldset class="sc-pose" data-testid="scene-pose">
      <legend>
        pose in {frame === 0 ? "the world" : "frame 0"}
        <button onClick={() => (degrees.value = !degrees.value)} title="Show angles in degrees or radians">
          {degrees.value ? "degrees" : "radians"}
        </button>
      </legend>
      {POSITIONS.map((name, k) => (
        <label key={name}>
          <span>{name}</span>
          <Field label={name} text={fixed(at[k]!, pointDecimals(view.bodies.size))} onNumber={(value) => dragging.goTo(pose([...replaced(at, k, value), ...turn]), "translate")} />
          <span class="sc-unit">m</span>
        </label>
      ))}
      {rotation.value === "angles" ? (
        ANGLES.map((name, k) => (
          <label key={name}>
            <span>{name}</span>
            <Field
              label={name}
              text={shownText(ANGLE, turn[k]!, degrees.value, view.bodies.size, 1)}
              onNumber={(value) => dragging.goTo(pose([...at, ...replaced(turn, k, fromShown(ANGLE, value, degrees.value))]), "rotate")}
            />
            <span class="sc-unit">{degrees.value ? "°" : "rad"}</span>
          </label>
        ))
      ) : (
        <Quaternion values={quaternion(T)} onChange={(values) => dragging.goTo(fromQuaternion(at, values)!, "rotate")} />
      )}
      <Choice
        label="rotation"
        options={[["angles", "roll, pitch, yaw"], ["quaternion", "quaternion"]]}
        value={rotation.value}
        onChoice={(value) => (rotation.value = value)}
      />
    </fieldset>
  );
}

function Quaternion({ values, onChange }: { values: number[]; onChange: (values: number[]) => void }) {
  const bad = useSignal(false);
  const text = values.map((value) => fixed(value, 5)).join(" ");
  return (
    <label class="sc-quaternion">
      <span title="w x y z">w x y z</span>
      <input
        class={bad.value ? "sc-field sc-bad" : "sc-field"}
        aria-label="quaternion w x y z, four numbers"
        aria-invalid={bad.value}
        value={text}
        onChange={(event) => {
          const given = event.currentTarget.value.trim().split(/[\s,;]+/).map(Number);
          bad.value = given.length !== 4 || !given.every(Number.isFinite) || given.every((one) => one === 0);
          if (!bad.value) onChange(given);
        }}
        onBlur={(event) => {
          bad.value = false;
          event.currentTarget.value = text;
        }}
      />
    </label>
  );
}

function Solutions({ store, control }: { store: Store; control: Control }) {
  const { dragging } = control;
  const solutions = dragging.solutions.value;
  const modes = dragging.modesWanted.value;
  return (
    <>
      <label class="sc-check sc-solve">
        <input
          type="checkbox"
          data-testid="scene-solve"
          checked={dragging.wanted.value === true}
          onChange={(event) => dragging.showSolutions(event.currentTarget.checked)}
        />
        all solutions of the {dragging.solved.value} of frame {control.drawn.value!.tool ?? control.endFrame()}
      </label>
      {control.drawn.value!.loops.length > 0 && (
        <label class="sc-check sc-solve">
          <input
            type="checkbox"
            data-testid="scene-modes"
            checked={modes}
            disabled={!control.looped()}
            onChange={(event) => dragging.showModes(event.currentTarget.checked)}
          />
          assembly modes at these positions of the active joints
        </label>
      )}
      {solutions && (
        <ol class="sc-solutions" data-testid="scene-solutions">
          {solutions.map((solution, k) => (
            <Row key={k} control={control} solution={solution} place={k} tag={k && !modes ? letter(k - 1) : ""} dark={store.dark.value} />
          ))}
        </ol>
      )}
      {solutions?.some(({ label }) => label.includes(SINGULAR)) && (
        <p class="sc-hint">Where a part is singular, two solutions coincide, or there are infinitely many and one of them is listed.</p>
      )}
      {solutions?.length === 0 && <p class="sc-hint">No solution is listed.</p>}
      {modes && solutions && dragging.modesSearched && (
        <p class="sc-hint">
          These modes were reached from random postures; other modes may exist.{" "}
          <button data-testid="scene-modes-again" onClick={() => dragging.searchModes()}>Search again</button>
        </p>
      )}
      {dragging.wanted.value && dragging.remark.value && <p class="sc-hint">{dragging.remark.value}</p>}
    </>
  );
}

interface RowProps {
  control: Control;
  solution: PoseSolution;
  place: number;
  tag: string;
  dark: boolean;
}

function Row({ control, solution, place, tag, dark }: RowProps) {
  const view = control.drawn.value!;
  const shown = view.joints.flatMap((joint, k) => (joint.opened || joint.coupled ? [] : [k]));
  const own = place === 0;
  return (
    <li
      class={own ? "sc-own" : undefined}
      onPointerEnter={() => control.scene.highlightGhost(own ? null : place - 1)}
      onPointerLeave={() => control.scene.highlightGhost(null)}
    >
      <button
        disabled={own}
        onClick={() => control.dragging.select(place)}
        onFocus={() => control.scene.highlightGhost(own ? null : place - 1)}
        onBlur={() => control.scene.highlightGhost(null)}
        title={own ? "The posture of the robot" : "Go to this posture"}
      >
        <b>
          <i style={own ? undefined : { background: ghostColour(place - 1, dark) }} />
          {tag && <kbd>{tag}</kbd>} {solution.label}
          {!solution.within && <em> outside the joint limits</em>}
        </b>
        <span class="sc-values">
          {shown.slice(0, MOST_VALUES).map((k) => shownText(view.joints[k]!, solution.q[k]!, degrees.value, view.bodies.size)).join("  ")}
          {shown.length > MOST_VALUES && " …"}
        </span>
      </button>
    </li>
  );
}

const MOST_VALUES = 8;
