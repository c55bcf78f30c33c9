import type { Signal } from "@preact/signals";

import type { Store } from "../store/store";
import { Maximise } from "../shell/maximise";
import type { Control } from "./control";
import type { Panel } from "./pane";
import { Modes } from "./posepanel";
import type { ViewDirection } from "./scene";

const DIRECTIONS: [ViewDirection, string][] = [
  ["iso", "perspective, from the front right"],
  ["top", "top, along -z"],
  ["front", "front, along y"],
  ["side", "side, along x"],
];

export function Toolbar({ store, control, panel }: { store: Store; control: Control; panel: Signal<Panel | null> }) {
  const view = store.view.value;
  const postures = Object.keys(view?.postures ?? {});
  return (
    <div class="sc-bar" role="toolbar" aria-label="Scene">
      <button onClick={() => control.home()} disabled={!view} title="Home posture (H)" data-testid="scene-home">
        Home
      </button>
      <button onClick={() => control.random()} disabled={!view} title="Random posture within limits (R)" data-testid="scene-random">
        Random
      </button>
      {postures.length > 0 && (
        <select
          aria-label="Named posture"
        class="sc-postures"
          data-testid="scene-postures"
          value=""
          onChange={(event) => {
            control.posture(event.currentTarget.value);
            event.currentTarget.value = "";
          }}
        >
          <option value="" disabled>
            Posture
          </option>
          {postures.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {(view?.loops.length ?? 0) > 0 && (
        <button
          aria-pressed={control.broken.value}
          disabled={!control.closable.value}
          onClick={() => control.breakLoops(!control.broken.value)}
          title="Open the loops at their cut joints, or close them again"
          data-testid="scene-break"
        >
          {control.broken.value ? "Close loops" : "Open loops"}
        </button>
      )}
      <span class="sc-rule" />
      <Modes control={control} />
      <span class="sc-rule" />
      <button onClick={() => control.scene.fit()} title="Fit the robot into the picture (F)" data-testid="scene-fit">
        Fit
      </button>
      <select
        aria-label="Direction of view"
        data-testid="scene-look"
        value=""
        onChange={(event) => {
          const from = event.currentTarget.value as ViewDirection;
          control.scene.look(from, from !== "iso");
          event.currentTarget.value = "";
        }}
      >
        <option value="" disabled>
          View
        </option>
        {DIRECTIONS.map(([from, text]) => (
          <option key={from} value={from}>
            {text}
          </option>
        ))}
      </select>
      <span class="sc-gap" />
      <button onClick={() => void control.screenshot()} title="Save the picture as PNG" data-testid="scene-screenshot">
        PNG
      </button>
      <button onClick={() => control.saveSvg()} disabled={!view} title="Save the picture as SVG" data-testid="scene-svg">
        SVG
      </button>
      <button
        aria-pressed={control.video.recording.value}
        disabled={!view || control.video.missing !== ""}
        onClick={() => control.video.toggle()}
        title={control.video.missing || (control.video.recording.value ? "End the recording and save it" : "Record a video of the picture in its size on the page (WebM)")}
        data-testid="scene-video"
      >
        {control.video.recording.value ? "■ Stop" : "● Video"}
      </button>
      <button
        aria-pressed={panel.value !== null}
        onClick={() => (panel.value = panel.value ? null : "joints")}
        title="Joints, pose, motion and view settings"
        data-testid="scene-panel"
      >
        Panel
      </button>
      <Maximise store={store} pane="scene" />
    </div>
  );
}
