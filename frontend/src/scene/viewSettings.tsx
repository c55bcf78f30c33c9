// Settings of the picture: frames, labels, meshes, grid.

import { useSignal, useSignalEffect, type ReadonlySignal } from "@preact/signals";
import { Fragment } from "preact";

import { Choice } from "./choice";
import type { Control } from "./control";
import { freeJoints } from "./joints";
import { OVERLAYS, look, overlays, picked, shown, type FrameChoice } from "./viewState";
import type { LabelStyle } from "./labels";

const FRAMES: [FrameChoice, string][] = [
  ["all", "all"],
  ["selected", "selected"],
  ["picked", "picked"],
  ["none", "none"],
];
const NAMINGS: [LabelStyle, string][] = [
  ["number", "numbers"],
  ["name", "names"],
  ["axes", "x and z axes"],
  ["none", "none"],
];

export function ViewSettings({ control }: { control: Control }) {
  const view = control.drawn.value;
  const open = useSignal(false);
  useSignalEffect(() => void (open.value = shown.value === "picked"));
  if (!view) return null;
  const count = view.frames.length + (view.tool ? 1 : 0);
  const names = Array.from({ length: count + 1 }, (_, j) => (j === 0 ? "base" : (view.frames[j - 1]?.name ?? view.tool ?? "")));
  return (
    <>
      <Choice label="frames" options={FRAMES} value={shown.value} onChoice={(value) => (shown.value = value)} />
      {open.value && (
        <fieldset class="sc-pick" data-testid="scene-pick">
          {names.map((name, j) => (
            <label key={j}>
              <input
                type="checkbox"
                checked={picked.value.has(j)}
                onChange={() => {
                  const next = new Set(picked.value);
                  if (!next.delete(j)) next.add(j);
                  picked.value = next;
                }}
              />
              {j} <span>{name}</span>
            </label>
          ))}
        </fieldset>
      )}
      <Choice label="labels" options={NAMINGS} value={look.value.naming} onChoice={(naming) => (look.value = { ...look.value, naming })} />
      <Choice
        label="coinciding frames"
        options={[["compact", "together"], ["expanded", "apart"]]}
        value={look.value.expanded ? "expanded" : "compact"}
        onChoice={(value) => (look.value = { ...look.value, expanded: value === "expanded" })}
      />
      <label class="sc-choice">
        <span>arrow size</span>
        <input
          type="range"
          min={0.25}
          max={3}
          step={0.05}
          value={look.value.scale}
          data-testid="scene-scale"
          onInput={(event) => (look.value = { ...look.value, scale: event.currentTarget.valueAsNumber })}
        />
      </label>
      <label class="sc-check">
        <input type="checkbox" checked={look.value.grid} onChange={() => (look.value = { ...look.value, grid: !look.value.grid })} />
        world grid
      </label>
      <label class="sc-check">
        <input type="checkbox" checked={look.value.meshes} onChange={() => (look.value = { ...look.value, meshes: !look.value.meshes })} />
        meshes and solids of the links
      </label>
      <label class="sc-check">
        <input
          type="checkbox"
          checked={control.workspace.value}
          data-testid="scene-workspace"
          onChange={(event) => void control.showWorkspace(event.currentTarget.checked)}
        />
        workspace, coloured by {view.loops.length && freeJoints(view, false).length > 1 ? "the inverse condition number" : "manipulability"}
      </label>
      {control.workspace.value && (
        <p class="sc-legend" data-testid="scene-workspace-legend">
          <i class="sc-low" /> zero: singular <i class="sc-high" /> largest in the workspace
        </p>
      )}
      {OVERLAYS.filter(([name]) => name !== "contacts" || control.overlays.supportable.value).map(([name, text]) => (
        <Fragment key={name}>
          <label class="sc-check">
            <input
              type="checkbox"
              checked={overlays.value[name]}
              data-testid={`scene-overlay-${name}`}
              onChange={() => (overlays.value = { ...overlays.value, [name]: !overlays.value[name] })}
            />
            {text}
          </label>
          {name === "contacts" && overlays.value.contacts && <Contacts control={control} />}
          {name === "centre" && <Numbers text={control.overlays.centre} />}
          {name === "velocity" && <Numbers text={control.overlays.velocity} />}
        </Fragment>
      ))}
      {control.overlays.remark.value && <p class="sc-hint">{control.overlays.remark.value}</p>}
      <p class="sc-hint">
        Drag the handles to move or turn a frame, drag a link to move its joint, and drag elsewhere to rotate the picture; drag with the
        right button to move it, scroll to zoom. Click a frame to select it; click again for the next frame at the same point. Keys: arrows
        and page keys move the selected frame, with Shift they turn it; without a selected frame arrows rotate the picture. + and − zoom, [
        and ] select frames, G changes the handles.
      </p>
      <p class="sc-legend">
        <i class="sc-x" /> x <i class="sc-y" /> y <i class="sc-z" /> z <i class="sc-driven" /> actuated <i class="sc-passive" /> passive
      </p>
      {control.drawn.value?.loops.length ? <p class="sc-hint">Cut joints of loops are drawn hollow.</p> : null}
    </>
  );
}

/** Numbers of a drawn quantity, which change with the posture. */
function Numbers({ text }: { text: ReadonlySignal<string> }) {
  return text.value ? <p class="sc-hint sc-numbers" data-testid="scene-numbers">{text.value}</p> : null;
}

/** Contact points of the robot, and the forces of the ground on them. */
function Contacts({ control }: { control: Control }) {
  const { contacts, ends, support, contactFree } = control.overlays;
  const { text, warning } = support.value;
  return (
    <fieldset class="sc-contacts" data-testid="scene-contacts">
      <legend>contact points</legend>
      <input
        class="sc-field"
        aria-label="contact points"
        placeholder="tool or last link"
        title="Frames, or frames with a point, separated by semicolons: 4; 8 (0, 0, -0.2); LF_FOOT"
        value={contacts.value}
        data-testid="scene-contact-points"
        onChange={(event) => (contacts.value = event.currentTarget.value)}
      />
      {ends.value && ends.value !== contacts.value && (
        <button data-testid="scene-contact-ends" onClick={() => (contacts.value = ends.value)}>
          ends of all chains
        </button>
      )}
      {contactFree.value && (
        <p class="sc-hint">This motion is computed without contacts. Remove it for the forces of the robot at rest.</p>
      )}
      {warning && (
        <p class="sc-near" role="status">
          {warning}
        </p>
      )}
      {text && <p class="sc-hint">{text}</p>}
    </fieldset>
  );
}
