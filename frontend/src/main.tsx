// The page begins: a back, a store, what was kept of the last visit, and the shell around the panes.

import { render, type ComponentType } from "preact";

import type { Back } from "./back/back";
import { httpBack } from "./back/http";
import { shellActions } from "./shell/actions";
import { createDesk, fillLists, type Desk } from "./shell/desk";
import { openBundled } from "./shell/files";
import { listenForKeys } from "./shell/keys";
import { Shell } from "./shell/shell";
import { claimByLock, found, keepAlways, tabOf, type Places } from "./store/keep";
import { createStore, type Store } from "./store/store";

const FIRST_ROBOT = "rx90";

/** The panes that are built with the page; a page without one of them shows what stands in its place. */
const PANES = import.meta.glob<Record<string, ComponentType<{ store: Store }>>>(["./scene/pane.tsx", "./models/pane.tsx"]);
const BACKS = import.meta.glob<{ workerBack: () => Back }>("./back/worker.ts");

function pane(path: string, name: string, instead: string) {
  return async (): Promise<ComponentType<{ store: Store }>> => {
    const loaded = await PANES[path]?.();
    return loaded?.[name] ?? (() => <p class="sh-empty">{instead}</p>);
  };
}

async function chooseBack(): Promise<Back> {
  const told = document.querySelector<HTMLMetaElement>('meta[name="symoro-back"]')?.content;
  const inWorker = told === "worker" ? await BACKS["./back/worker.ts"]?.() : undefined;
  if (inWorker) return inWorker.workerBack();
  return httpBack({ fetch: fetch.bind(globalThis), storage: sessionStorage, href: location.href });
}

/** What was kept, or the first robot of all. */
async function begin(desk: Desk, places: Places, tab: string): Promise<void> {
  const kept = found(places, tab);
  if (!kept) {
    await openBundled(desk, FIRST_ROBOT);
    return;
  }
  try {
    await desk.store.restore(kept);
  } catch (error) {
    desk.tell("The robot that was kept cannot be shown", error);
  }
}

async function start(): Promise<void> {
  const store = createStore(await chooseBack());
  const desk = createDesk(store, localStorage);
  const places: Places = { session: sessionStorage, local: localStorage, now: Date.now };
  store.register(shellActions(desk));
  listenForKeys(store, window);
  render(
    <Shell
      desk={desk}
      scene={pane("./scene/pane.tsx", "ScenePane", "The scene is not part of this build.")}
      models={pane("./models/pane.tsx", "ModelsPane", "The models pane is not part of this build.")}
    />,
    document.getElementById("page")!,
  );
  const tab = await tabOf(places, claimByLock);
  const lists = fillLists(desk).catch((error: unknown) => desk.tell("symoro does not answer", error));
  await begin(desk, places, tab);
  keepAlways(store, places, tab, window);
  await lists;
}

void start();
