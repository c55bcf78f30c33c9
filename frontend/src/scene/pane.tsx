// The pane of the scene: picture, toolbar, and a panel with joints, pose, motion and view settings.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { Action, Store } from "../store/store";
import { Control } from "./control";
import { createScene } from "./create";
import { Joints } from "./jointspanel";
import { MotionPanel, Transport } from "./motionpanel";
import { actionsOf, onKey } from "./keys";
import { ViewSettings } from "./viewSettings";
import { SingularPanel } from "./singularpanel";
import { PosePanel } from "./posepanel";
import { Split, clamped } from "../shell/split";
import { storedSignal } from "../models/storedSignal";
import { Toolbar } from "./toolbar";
import { MotionPlot } from "./motionPlot";
import "./scene.css";
import "./runs.css";

const PANELS = ["joints", "pose", "motion", "singularities", "view"] as const;
/** Fraction of the pane's width for the picture. */
const PICTURE = 0.56;
const share = storedSignal("picture", String(PICTURE));
export type Panel = (typeof PANELS)[number];

export function ScenePane({ store }: { store: Store }) {
  const holder = useRef<HTMLDivElement>(null);
  const control = useSignal<Control | null>(null);
  const panel = useSignal<Panel | null>("joints");
  const failed = useSignal<string | null>(null);

  useEffect(() => {
    let made: Control;
    try {
      made = new Control(store, createScene(holder.current!, { dark: store.dark.peek() }));
    } catch (error) {
      failed.value = `no picture: ${error instanceof Error ? error.message : error}`;
      return;
    }
    control.value = made;
    const forget = store.register(actionsOf(store, made, panel) as Action[]);
    return () => {
      forget();
      control.value = null;
      made.dispose();
    };
  }, [store]);

  useSignalEffect(() => {
    const singular = control.value?.singular;
    // Highlights remain while overlays are selected, a motion plays or the panel is closed.
    if (panel.value === "singularities") singular && (singular.watched.value = true);
    else if (panel.value === "joints" || panel.value === "pose") singular && (singular.watched.value = false);
  });

  const scene = control.value;
  const picture = clamped(Number(share.value) || PICTURE);
  return (
    <div class="sc-pane" data-testid="scene" aria-busy={!scene?.ready.value}>
      {scene && <Toolbar store={store} control={scene} panel={panel} />}
      <div class="sc-middle">
        <div class="sc-left">
          <div
            class="sc-picture"
            ref={holder}
            tabIndex={0}
            role="application"
            aria-label="Picture of the robot: arrow keys rotate it or move the selected frame, plus and minus zoom, brackets select frames"
            onKeyDown={(event) => scene && onKey(event, store, scene)}
          >
            {!store.view.value && <p class="sc-empty">Open a robot to see its frames here.</p>}
            {failed.value && <p class="sc-empty">{failed.value}</p>}
            {scene?.note.value && (
              <output class={`sc-note sc-${scene.note.value.kind}`} data-testid="scene-note">
                {scene.note.value.text}
              </output>
            )}
          </div>
          {scene && store.motion.value?.efforts && store.view.value && <MotionPlot store={store} control={scene} />}
        </div>
        {scene && panel.value && scene.drawn.value && (
          <Split
            line="vertical"
            label="width of the picture"
            value={picture}
            reset={PICTURE}
            onChange={(value) => (share.value = String(value))}
          />
        )}
        {scene && panel.value && scene.drawn.value && (
          <div class="sc-side" data-testid="scene-side" style={{ "--share": 1 - picture }}>
            <div class="sc-tabs" role="tablist">
              {PANELS.map((name) => (
                <button
                  key={name}
                  role="tab"
                  aria-selected={panel.value === name}
                  data-testid={`scene-tab-${name}`}
                  onClick={() => (panel.value = name)}
                >
                  {name}
                </button>
              ))}
            </div>
            <div class="sc-panel">
              {panel.value === "singularities" && <SingularPanel control={scene} />}
              {(panel.value === "joints" || panel.value === "singularities") && <Joints store={store} control={scene} />}
              {panel.value === "motion" && <MotionPanel store={store} control={scene} />}
              {panel.value === "pose" && <PosePanel store={store} control={scene} />}
              {panel.value === "view" && <ViewSettings control={scene} />}
            </div>
          </div>
        )}
      </div>
      {scene && store.motion.value && <Transport store={store} control={scene} />}
    </div>
  );
}
