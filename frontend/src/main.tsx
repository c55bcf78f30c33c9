// Entry point of the page: create backend and store, restore the last session, and draw the shell.

import { render } from "preact";

import type { Backend } from "./backend/backend";
import { httpBackend } from "./backend/http";
import { withCache } from "./backend/cache";
import { withRetry } from "./backend/retry";
import { shellActions } from "./shell/actions";
import { createShellState, loadLists, type ShellState } from "./shell/shellState";
import { openBundled, openLink, openRequested } from "./shell/files";
import { listenForKeys } from "./shell/keys";
import { Shell } from "./shell/shell";
import { claimByLock, loadSession, autosave, tabOf, type Storages } from "./store/storedSession";
import { persistMeshes } from "./store/meshes";
import { storageOr } from "./store/storage";
import { createStore } from "./store/store";

const FIRST_ROBOT = "rx90";

const local = storageOr(() => localStorage);
const session = storageOr(() => sessionStorage);

/** Pause in milliseconds before files of the site are loaded again after an interrupted download. */
const OFFLINE_AGAIN = 3000;

/** Keep the files of the site in the browser for the next visit; begins when Python runs, so as not to delay it. */
async function keepOffline(attempts = 5): Promise<void> {
  // Insecure origins have no service workers; browsers that block storage reject them.
  const registration = await navigator.serviceWorker?.register(new URL("service-worker.js", document.baseURI));
  const worker = registration?.installing;
  worker?.addEventListener("statechange", () => {
    // The browser discards a service worker that could not load all files, and does not try again during this visit.
    const failed = worker.state === "redundant" && !registration!.active;
    if (failed && attempts > 1) setTimeout(() => void keepOffline(attempts - 1).catch(() => undefined), OFFLINE_AGAIN);
  });
}

/** Whether Python runs in the page, which is a static site. */
const onSite = document.querySelector<HTMLMetaElement>('meta[name="symoro-back"]')?.content === "worker";

async function chooseBack(): Promise<Backend> {
  if (onSite) {
    const [{ workerBackend }, { withPrepared }] = await Promise.all([import("./backend/worker"), import("./backend/prepared")]);
    // Prepared answers do not prove that Python can be loaded.
    return withPrepared(withRetry(workerBackend(undefined, undefined, () => void keepOffline().catch(() => undefined))));
  }
  return withRetry(httpBackend({ fetch: fetch.bind(globalThis), storage: session, href: location.href }));
}

/** Open the robot of the last session, or else the first robot. */
async function openLastRobot(shell: ShellState, places: Storages, tab: string): Promise<void> {
  const session = loadSession(places, tab);
  if (!session) {
    await openBundled(shell, FIRST_ROBOT);
    return;
  }
  try {
    await shell.store.restore(session);
  } catch (error) {
    shell.showError("The saved robot cannot be shown", error);
  }
}

/** Return the robot that the address names (?robot=ID); null without one. */
function namedRobot(): string | null {
  return new URLSearchParams(location.search).get("robot");
}

/** Return the fragment of the address and remove it, so that a reload restores the session with its edits. */
function takenHash(): string {
  const { hash, pathname, search } = location;
  if (hash) history.replaceState(null, "", pathname + search);
  return hash;
}

async function start(): Promise<void> {
  const store = createStore(withCache(await chooseBack()));
  const requested = { hash: takenHash(), id: namedRobot() };
  // A user who follows a link expects its robot; the tour creates another one.
  const shell = createShellState(store, local, !requested.hash && !requested.id);
  const places: Storages = { session, local, now: Date.now };
  store.register(shellActions(shell));
  listenForKeys(store, window);
  const place = document.getElementById("page")!;
  place.replaceChildren(); // the static site shows a text until here
  render(
    <Shell
      shell={shell}
      lost={onSite ? "check the network connection" : "check the network, or that symoro gui is running"}
      scene={() => import("./scene/pane").then(({ ScenePane }) => ScenePane)}
      models={() => import("./models/pane").then(({ ModelsPane }) => ModelsPane)}
    />,
    place,
  );
  const tab = await tabOf(places, claimByLock);
  autosave(store, places, tab, window);
  const meshes = persistMeshes(store, tab);
  await openRequested(shell, requested, () => openLastRobot(shell, places, tab));
  addEventListener("hashchange", () => void openLink(shell, takenHash()));
  await Promise.all([meshes, loadLists(shell)]).catch((error: unknown) => shell.showError("symoro does not answer", error));
}

void start();
