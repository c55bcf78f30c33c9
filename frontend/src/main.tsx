// Entry point of the page: create backend and store, restore the last session, and draw the shell.

import { render } from "preact";

import type { Back } from "./back/back";
import { httpBack } from "./back/http";
import { remembering } from "./back/remember";
import { shellActions } from "./shell/actions";
import { createDesk, fillLists, type Desk } from "./shell/desk";
import { openBundled } from "./shell/files";
import { listenForKeys } from "./shell/keys";
import { Shell } from "./shell/shell";
import { claimByLock, stored, keepAlways, tabOf, type Places } from "./store/keep";
import { keepMeshes } from "./store/meshes";
import { storageOr } from "./store/storage";
import { createStore } from "./store/store";

const FIRST_ROBOT = "rx90";

const local = storageOr(() => localStorage);
const session = storageOr(() => sessionStorage);

async function chooseBack(): Promise<Back> {
  const kind = document.querySelector<HTMLMetaElement>('meta[name="symoro-back"]')?.content;
  if (kind === "worker") return (await import("./back/worker")).workerBack();
  return httpBack({ fetch: fetch.bind(globalThis), storage: session, href: location.href });
}

/** Open the robot of the address (?robot=ID), or else the robot of the last session, or else the first robot. */
async function begin(desk: Desk, places: Places, tab: string): Promise<void> {
  const named = new URLSearchParams(location.search).get("robot");
  const kept = named ? null : stored(places, tab);
  if (!kept) {
    await openBundled(desk, named ?? FIRST_ROBOT);
    return;
  }
  try {
    await desk.store.restore(kept);
  } catch (error) {
    desk.tell("The saved robot cannot be shown", error);
  }
}

async function start(): Promise<void> {
  const store = createStore(remembering(await chooseBack()));
  const desk = createDesk(store, local);
  const places: Places = { session, local, now: Date.now };
  store.register(shellActions(desk));
  listenForKeys(store, window);
  render(
    <Shell
      desk={desk}
      scene={() => import("./scene/pane").then(({ ScenePane }) => ScenePane)}
      models={() => import("./models/pane").then(({ ModelsPane }) => ModelsPane)}
    />,
    document.getElementById("page")!,
  );
  const tab = await tabOf(places, claimByLock);
  keepAlways(store, places, tab, window);
  const meshes = keepMeshes(store, tab);
  await begin(desk, places, tab);
  await Promise.all([meshes, fillLists(desk)]).catch((error: unknown) => desk.tell("symoro does not answer", error));
}

void start();
