// Sliders of the joints, and of the pose of a floating or wheeled base.

import { signal, useComputed, useSignal } from "@preact/signals";

import type { JointView } from "../backend/messages";
import { AT_ORIGIN, type Store } from "../store/store";
import type { Control } from "./control";
import { fromShown, onSlider, range, shownText, unit, within } from "./joints";

/** Whether angles are shown in degrees; the same setting for every robot. */
export const degrees = signal(true);

export function Joints({ store, control }: { store: Store; control: Control }) {
  const view = control.drawn.value;
  if (!view) return null;
  const moved = control.moved.value;
  const others = view.joints.flatMap((_, k) => (moved.includes(k) ? [] : [k]));
  return (
    <>
      <div class="sc-head">
        <span>{moved.length} {moved.length === 1 ? "joint" : "joints"}</span>
        <button onClick={() => (degrees.value = !degrees.value)} title="Show angles in degrees or radians" data-testid="scene-unit">
          {degrees.value ? "degrees" : "radians"}
        </button>
      </div>
      {moved.map((k) => (
        <Slider key={`${view.name} ${k}`} store={store} control={control} joint={view.joints[k]!} place={k} />
      ))}
      {others.length > 0 && (
        <details class="sc-others" open={others.length < 8}>
          <summary>{others.length} dependent</summary>
          {others.map((k) => (
            <Follower key={k} store={store} joint={view.joints[k]!} place={k} size={view.bodies.size} />
          ))}
        </details>
      )}
      {control.hasMovableBase() && <BasePose store={store} control={control} wheeled={view.base === "wheeled"} />}
    </>
  );
}

function Slider({ store, control, joint, place }: { store: Store; control: Control; joint: JointView; place: number }) {
  const value = useComputed(() => store.q.value[place] ?? 0).value;
  const { lower, upper } = range(joint, control.scene.reach(), control.posed.value[place]);
  const shown = onSlider(joint, value);
  const show = (x: number) => shownText(joint, x, degrees.value, control.drawn.value!.bodies.size);
  const refused = control.refused.value === place;
  const classes = ["sc-slider", store.selected.value === joint.frame && "sc-chosen", refused && "sc-refused"];
  return (
    <div class={classes.filter(Boolean).join(" ")} data-testid={`scene-joint-${joint.frame}`}>
      <button
        class="sc-name"
        title={`${joint.name}: ${joint.kind === "P" ? "prismatic" : "revolute"}, frame ${joint.frame}${joint.opened ? ", cut joint" : ""}`}
        onClick={() => (store.selected.value = store.selected.value === joint.frame ? null : joint.frame)}
      >
        <b>{joint.frame}</b> {joint.name === `q${joint.frame}` ? "" : joint.name}
      </button>
      <input
        type="range"
        aria-label={`${joint.name}${refused ? ", the loops cannot close at this position" : ""}`}
        min={lower}
        max={upper}
        step={(upper - lower) / 720}
        value={shown}
        title={`${show(lower)} to ${show(upper)} ${unit(joint, degrees.value)}`}
        onInput={(event) => control.move(place, value + event.currentTarget.valueAsNumber - shown)}
        onChange={() => control.scene.keepInPicture()}
        onFocus={() => (store.selected.value = joint.frame)}
      />
      <Field
        label={joint.name}
        text={show(value)}
        beyond={!within(joint, value)}
        onNumber={(number) => {
          control.move(place, fromShown(joint, number, degrees.value));
          control.scene.keepInPicture();
        }}
      />
      <span class="sc-unit">{unit(joint, degrees.value)}</span>
    </div>
  );
}

/** Input of a number; the panel may be drawn again while the user types. */
export function Field(props: { label: string; text: string; beyond?: boolean; onNumber: (value: number) => void }) {
  const typed = useSignal<string | null>(null);
  const bad = useSignal(false);
  return (
    <input
      class={["sc-field", props.beyond && "sc-beyond", bad.value && "sc-bad"].filter(Boolean).join(" ")}
      inputMode="decimal"
      aria-label={`${props.label}, number`}
      aria-invalid={bad.value}
      title={props.beyond ? "outside the joint limits" : undefined}
      value={typed.value ?? props.text}
      onFocus={(event) => event.currentTarget.select()}
      onInput={(event) => (typed.value = event.currentTarget.value)}
      onChange={(event) => {
        const text = event.currentTarget.value.trim().replace(",", ".");
        const value = text === "" ? NaN : Number(text);
        bad.value = !Number.isFinite(value);
        if (bad.value) return;
        typed.value = null;
        props.onNumber(value);
      }}
      onBlur={(event) => {
        bad.value = false;
        typed.value = null;
        event.currentTarget.value = props.text;
      }}
    />
  );
}

function Follower({ store, joint, place, size }: { store: Store; joint: JointView; place: number; size: number }) {
  const value = useComputed(() => store.q.value[place] ?? 0).value;
  return (
    <div class="sc-follower" data-testid={`scene-joint-${joint.frame}`}>
      <button class="sc-name" onClick={() => (store.selected.value = joint.frame)}>
        <b>{joint.frame}</b> {joint.name === `q${joint.frame}` ? "" : joint.name}
      </button>
      <span class="sc-why">{joint.coupled ? "coupled" : joint.opened ? "cut" : "passive"}</span>
      <span class="sc-value">{shownText(joint, value, degrees.value, size)}</span>
      <span class="sc-unit">{unit(joint, degrees.value)}</span>
    </div>
  );
}

const BASE = ["x", "y", "z", "roll", "pitch", "yaw"];
/** Range of the position of the base, relative to the size of the robot. */
const BASE_RANGE = 2;

function BasePose({ store, control, wheeled }: { store: Store; control: Control; wheeled: boolean }) {
  const { size } = control.drawn.value!.bodies;
  return (
    <>
      <div class="sc-head">
        <span>base in the world</span>
        <button onClick={() => (store.base.value = [...AT_ORIGIN])}>reset</button>
      </div>
      {(wheeled ? [0, 1, 5] : [0, 1, 2, 3, 4, 5]).map((k) => {
        const kind = k < 3 ? "P" : "R";
        const joint = { kind, name: BASE[k]! } as JointView;
        const most = k < 3 ? BASE_RANGE * size : Math.PI;
        const value = store.base.value[k]!;
        return (
          <div key={k} class="sc-slider" data-testid={`scene-base-${BASE[k]}`}>
            <span class="sc-name">{BASE[k]}</span>
            <input
              type="range"
              aria-label={`base ${BASE[k]}`}
              min={-most}
              max={most}
              step={most / 360}
              value={value}
              onInput={(event) => control.setBase(k, event.currentTarget.valueAsNumber)}
              onChange={() => control.scene.keepInPicture()}
            />
            <Field
              label={`base ${BASE[k]}`}
              text={shownText(joint, value, degrees.value, size)}
              onNumber={(number) => {
                control.setBase(k, fromShown(joint, number, degrees.value));
                control.scene.keepInPicture();
              }}
            />
            <span class="sc-unit">{unit(joint, degrees.value)}</span>
          </div>
        );
      })}
    </>
  );
}
