// The scene alone, for a cell of a notebook: the document contains the robot and the code of its transforms.

import { render } from "preact";

import { Failure, type Backend } from "./backend/backend";
import type { Placements, View } from "./backend/messages";
import { ScenePane } from "./scene/pane";
import { createStore } from "./store/store";
import "./shell/theme.css";
import "./notebook.css";

interface Shown {
  view: View;
  placements: Placements;
  q: number[] | null;
  dark: boolean;
}

/** Backend of one robot: it returns only the transforms of the frames; other calls are rejected. */
function alone(shown: Shown): Backend {
  return {
    call: <T,>(name: string): Promise<T> => {
      if (name === "frames") return Promise.resolve(shown.placements as T);
      return Promise.reject(new Failure({ kind: "NotApplicableError", message: "this function needs the workbench; start it with symoro gui" }));
    },
  };
}

const shown = JSON.parse(document.getElementById("shown")!.textContent!) as Shown;
const store = createStore(alone(shown));
document.documentElement.dataset["theme"] = shown.dark ? "dark" : "light";
store.dark.value = shown.dark;
store.show(shown.view);
if (shown.q) store.q.value = shown.q;
render(<ScenePane store={store} />, document.getElementById("page")!);
