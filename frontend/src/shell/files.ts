// Open robots, motions and logs from files; save robots to files.

import { Failure } from "../backend/backend";
import type { View } from "../backend/messages";
import { save } from "../store/download";
import type { RecentRobot } from "../store/recent";
import { sharedState, sharedView, showShared } from "../store/share";
import { unsetEdits } from "../tables/symbols";
import type { ShellState, Correction } from "./shellState";
import { motionIn } from "./motionfiles";

const MESHES = /\.(stl|obj|dae|mtl|png|jpe?g)$/i;
/** Endings of robot files in the order of preference; a ROS package contains other files with the same endings. */
const ROBOTS = [/\.urdf$/i, /\.par$/i, /\.ya?ml$/i, /\.(mjcf|xml)$/i, /\.xacro$/i, /\.(csv|txt)$/i];
const NO_ROBOTS = /^(package\.xml|CMakeLists\.txt|README.*|LICENSE.*)$/i;
export const ACCEPTED = ".par,.yaml,.yml,.urdf,.xml,.mjcf,.xacro,.csv,.txt,.stl,.obj,.dae";
const LARGEST = 12 * 2 ** 20;
/** Bytes that are read to distinguish a log from a robot's table. */
const HEAD = 2 ** 18;

/** Return the robot file and its meshes among several files. */
export function classifyFiles(files: File[]): { robot: File | null; meshes: Map<string, File> } {
  const meshes = new Map(files.filter((file) => MESHES.test(file.name)).map((file) => [file.name, file]));
  const rest = files.filter((file) => !MESHES.test(file.name) && (files.length === 1 || !NO_ROBOTS.test(file.name)));
  const likely = ROBOTS.map((ending) => rest.find((file) => ending.test(file.name))).find(Boolean);
  return { robot: likely ?? rest[0] ?? null, meshes };
}

/** Read motions and logs of the current robot; return whether the files contained one. */
async function readMotion({ store }: ShellState, files: File[]): Promise<boolean> {
  const likely = files.filter(({ name }) => /\.(csv|txt|ya?ml|parquet)$/i.test(name));
  if (!store.view.value || !likely.length || likely.length < files.length) return false;
  if (likely.some(({ name }) => /\.parquet$/i.test(name))) throw unsupportedLog("the page reads logs in CSV format only", likely);
  const heads = likely.map(async (file) => ({ name: file.name, text: await file.slice(0, HEAD).text() }));
  if (!motionIn(await Promise.all(heads))) return false;
  const size = likely.reduce((sum, file) => sum + file.size, 0);
  if (size > LARGEST) throw unsupportedLog(`the log has ${megabytes(size)}; the page accepts at most ${megabytes(LARGEST)}`, likely);
  const motion = motionIn(await Promise.all(likely.map(async (file) => ({ name: file.name, text: await file.text() }))));
  if (!motion) return false;
  if ("log" in motion) store.log.value = motion.log;
  else store.droppedMotion.value = motion.given;
  return true;
}

/** Return the error for a log that the page cannot read; the hint names the command that reads it from disk. */
function unsupportedLog(message: string, files: File[]): Failure {
  const description = files.find(({ name }) => /\.ya?ml$/i.test(name)) ?? files[0]!;
  const hint = `save the robot (Robot, Save as YAML) and identify it on the command line, which also reads logs larger than memory: symoro identify ROBOT.yaml ${description.name}`;
  return new Failure({ kind: "TooLarge", message, hint });
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}

export async function openFiles(shell: ShellState, files: File[]): Promise<void> {
  try {
    if (await readMotion(shell, files)) return;
  } catch (error) {
    shell.showError(`${files.map(({ name }) => name).join(", ")} cannot be read in the page`, error);
    return;
  }
  const { robot, meshes } = classifyFiles(files);
  const { store } = shell;
  if (!robot) {
    if (meshes.size) store.meshes.value = new Map([...store.meshes.value, ...meshes]);
    return;
  }
  if (robot.size > LARGEST) {
    const message = `the file has ${megabytes(robot.size)}; robot files may have at most ${megabytes(LARGEST)}`;
    shell.showError(`${robot.name} cannot be opened`, new Failure({ kind: "TooLarge", message }));
    return;
  }
  const text = await robot.text();
  const title = `${robot.name} cannot be opened`;
  const open = async (lossy: boolean): Promise<void> => {
    const opened = (): Promise<View> => store.backend.call<View>("robot_open", { text, file: robot.name, lossy });
    if (await shell.openRobot(title, opened, text)) store.meshes.value = meshes;
  };
  await open(false);
  const failed = shell.errorReport.value;
  if (failed?.title !== title || !failed.problem.hint?.includes("leave it out")) return;
  const omit: Correction = { title: "Open without the unsupported features", run: () => open(true) };
  shell.showError(title, new Failure(failed.problem), { text, remedies: [omit] });
}

/** Open the browser's file dialog. */
export function chooseFiles(shell: ShellState): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = ACCEPTED;
  input.addEventListener("change", () => void openFiles(shell, [...(input.files ?? [])]));
  input.click();
}

export function openBundled(shell: ShellState, id: string): Promise<boolean> {
  return shell.openRobot(`${id} cannot be opened`, () => shell.store.backend.call<View>("robot_open", { id }));
}

/**
 * Open the robot that an address requests: that of a link in its fragment, or a bundled one. If there is none, or if it
 * cannot be opened, another robot is opened, so that the page can be used; a panel then shows the error with a button for
 * the gallery.
 */
export async function openRequested(
  shell: ShellState,
  { hash, id }: { hash: string; id: string | null },
  openOther: () => Promise<unknown>,
): Promise<void> {
  if ((await openLink(shell, hash)) || (id && (await openBundled(shell, id)))) return;
  const failed = shell.errorReport.value;
  await openOther();
  if (!failed || !shell.store.view.value) return;
  const gallery: Correction = { title: "Open the gallery of robots", run: async () => void (shell.panel.value = "gallery") };
  shell.showError(failed.title, new Failure(failed.problem), { remedies: [gallery] });
}

/** Return the recent robots without the one that is open. */
export function earlierRobots({ recent, store }: ShellState): RecentRobot[] {
  const current = store.view.value?.robot;
  return recent.list.value.filter(({ robot }) => robot !== current);
}

export function openRecent(shell: ShellState, { name, robot }: RecentRobot): Promise<boolean> {
  return shell.openRobot(`${name} cannot be opened`, () => shell.store.backend.call<View>("robot_view", { robot }));
}

/** Open the robot of a link in the fragment of the address; return whether the address contained a valid one. */
export async function openLink(shell: ShellState, hash: string): Promise<boolean> {
  const title = "The link cannot be opened";
  try {
    const shared = await sharedState(hash);
    if (!shared) return false;
    const { store } = shell;
    return await shell.openRobot(title, () => sharedView(store, shared), undefined, (view) => showShared(store, shared, view));
  } catch (error) {
    shell.showError(title, error);
    return false;
  }
}

export async function saveAs(shell: ShellState, format: string, lossy = false): Promise<void> {
  const view = shell.store.view.value;
  if (!view) return;
  try {
    const payload = { robot: view.robot, format, lossy };
    const { files } = await shell.store.backend.call<{ files: Record<string, string> }>("robot_write", payload);
    for (const [name, text] of Object.entries(files)) save(name, text);
  } catch (error) {
    const remedies = error instanceof Failure ? correctionsFor(shell, format, error) : [];
    shell.showError(`${view.name} cannot be saved as ${format}`, error, { remedies });
  }
}

/** Return corrections of a failed save: leave out unsupported data, or store current values as nominal values. */
function correctionsFor(shell: ShellState, format: string, { problem }: Failure): Correction[] {
  const remedies: Correction[] = [];
  const again = async (lossy: boolean): Promise<void> => {
    shell.panel.value = null;
    await saveAs(shell, format, lossy);
  };
  const keepAndSave = async (): Promise<void> => {
    await shell.store.edit(unsetEdits(shell.store));
    await again(false);
  };
  if (problem.message.includes("symbols without a value"))
    remedies.push({ title: "Store the slider values as nominal values and save", run: keepAndSave });
  if (/leaves? out/.test(problem.hint ?? ""))
    remedies.push({ title: "Save without the unsupported data", run: () => again(true) });
  return remedies;
}
