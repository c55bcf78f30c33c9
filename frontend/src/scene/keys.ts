// Keyboard shortcuts of the scene, and its commands in the palette.

import type { Signal } from "@preact/signals";

import { reveal } from "../shell/maximise";
import type { Action, Store } from "../store/store";
import type { Control } from "./control";
import { hasEnd } from "./extras";
import { section } from "./motionpanel";
import type { Panel } from "./pane";
import { OVERLAYS, overlays } from "./viewState";

const TURN = 0.12;

/** Keywords of the overlays; without a further word, "ellipsoid" is the manipulability ellipsoid. */
const WORDS: Partial<Record<(typeof OVERLAYS)[number][0], string>> = {
  centre: "center of mass com",
  velocity: "ellipsoid condition number dexterity",
};

/** Keys that move the selected frame along the axes x, y, z of the base, or turn it about them. */
const MOVES: Record<string, [axis: 0 | 1 | 2, sign: number]> = {
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  ArrowUp: [1, 1],
  ArrowDown: [1, -1],
  PageUp: [2, 1],
  PageDown: [2, -1],
};

export function onKey(event: KeyboardEvent, store: Store, control: Control): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { scene, dragging } = control;
  const move = MOVES[event.key];
  if (move && dragging.chosen.value !== null) {
    event.preventDefault();
    dragging.step(...move, event.shiftKey ? "rotate" : "translate");
    return;
  }
  const keys: Record<string, () => void> = {
    ArrowLeft: () => scene.orbit(-TURN, 0),
    ArrowRight: () => scene.orbit(TURN, 0),
    ArrowUp: () => scene.orbit(0, TURN),
    ArrowDown: () => scene.orbit(0, -TURN),
    "+": () => scene.orbit(0, 0, 1.15),
    "-": () => scene.orbit(0, 0, 1 / 1.15),
    f: () => scene.fit(),
    h: () => control.home(),
    r: () => control.random(),
    g: () => {
      dragging.on.value = true;
      dragging.mode.value = dragging.mode.value === "translate" ? "rotate" : "translate";
    },
    "[": () => step(store, control, -1),
    "]": () => step(store, control, 1),
    Escape: () => {
      store.selected.value = null;
      dragging.chosen.value = null;
    },
    " ": () => (control.motions.playing.value ? control.motions.pause() : control.motions.play()),
  };
  const run = keys[event.key];
  if (!run) return;
  event.preventDefault();
  run();
}

/** Select the frame before or after the selected one, cyclically. */
function step(store: Store, control: Control, by: number): void {
  const count = store.view.value?.frames.length ?? 0;
  if (!count) return;
  const from = store.selected.value ?? (by > 0 ? 0 : 1);
  const frame = ((from - 1 + by + count) % count) + 1;
  store.selected.value = frame;
  control.dragging.chosen.value = frame;
}

export function actionsOf(store: Store, control: Control, panel: Signal<Panel | null>): Action[] {
  const shown = () => control.drawn.value !== null;
  const looped = () => (control.drawn.value?.loops.length ?? 0) > 0;
  const group = "Scene";
  const open = (name: Panel): void => {
    panel.value = name;
    reveal(store, "scene");
    // The keyboard continues in the panel, not in the element that was used before.
    setTimeout(() => document.querySelector<HTMLElement>(`[data-testid="scene-tab-${name}"]`)?.focus(), 0);
  };
  const openSection = (name: (typeof section)["value"]): void => {
    section.value = name;
    open("motion");
  };
  return [
    { id: "scene-home", title: "Home posture", group, enabled: shown, run: () => control.home() },
    { id: "scene-random", title: "Random posture", group, enabled: shown, run: () => control.random() },
    { id: "scene-fit", title: "Fit the robot into the picture", group, enabled: shown, run: () => control.scene.fit() },
    { id: "scene-iso", title: "View: perspective", group, enabled: shown, run: () => control.scene.look("iso", false) },
    { id: "scene-top", title: "View: top", group, enabled: shown, run: () => control.scene.look("top", true) },
    { id: "scene-front", title: "View: front", group, enabled: shown, run: () => control.scene.look("front", true) },
    { id: "scene-side", title: "View: side", group, enabled: shown, run: () => control.scene.look("side", true) },
    {
      id: "scene-break",
      title: "Open or close the loops",
      group,
      enabled: looped,
      run: () => control.breakLoops(!control.broken.value),
    },
    {
      id: "scene-joints",
      title: "Joint positions",
      group,
      words: "sliders angles move limits units degrees",
      enabled: shown,
      run: () => {
        open("joints");
      },
    },
    {
      id: "scene-motion",
      title: "Play a motion",
      group,
      words: "animate animation waves sinusoid",
      enabled: shown,
      run: () => {
        open("motion");
      },
    },
    {
      id: "scene-simulate",
      title: "Simulate",
      group,
      words: "simulation integrate control computed torque",
      enabled: shown,
      run: () => openSection("simulation"),
    },
    {
      id: "scene-trajectory",
      title: "Trajectory",
      group,
      words: "path via points line circle plan excitation torques",
      enabled: shown,
      run: () => openSection("trajectory"),
    },
    {
      id: "scene-solve",
      title: "All solutions of this pose",
      group,
      words: "inverse kinematics ghosts configurations working assembly modes",
      enabled: () => shown() && hasEnd(control.drawn.value!),
      run: () => {
        open("pose");
        control.dragging.showSolutions(true);
      },
    },
    {
      id: "scene-pose",
      title: "Pose of the end effector",
      group,
      words: "drag gizmo inverse kinematics position quaternion euler angles roll pitch yaw",
      enabled: shown,
      run: () => {
        open("pose");
      },
    },
    {
      id: "singularities",
      title: "Singularities",
      subtitle: "Singular configurations by type, with the factors that vanish",
      group: "Kinematic",
      words: "singularity singular configurations determinant jacobian rank type 1 type 2",
      enabled: shown,
      run: () => {
        open("singularities");
      },
    },
    { id: "scene-png", title: "Save a picture of the scene (PNG)", group, words: "export image screenshot", enabled: shown, run: () => control.screenshot() },
    {
      id: "scene-svg",
      title: "Save a picture of the scene (SVG)",
      group,
      words: "export vector drawing image screenshot",
      enabled: shown,
      run: () => control.saveSvg(),
    },
    {
      id: "scene-video",
      title: "Record a video of the scene (WebM), or end it",
      group,
      words: "export movie film animation",
      enabled: shown,
      run: () => control.video.toggle(),
    },
    {
      id: "scene-workspace",
      title: "Workspace, coloured by distance to singularities",
      group,
      words: "cloud reach view",
      enabled: shown,
      run: () => control.showWorkspace(!control.workspace.value),
    },
    ...OVERLAYS.map(([name, text]) => ({
      id: `scene-${name}`,
      title: `Show or hide: ${text}`,
      group,
      words: `view ${WORDS[name] ?? ""}`,
      enabled: shown,
      run: () => void (overlays.value = { ...overlays.value, [name]: !overlays.value[name] }),
    })),
  ];
}
