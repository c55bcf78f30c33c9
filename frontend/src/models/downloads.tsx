// Downloads of a model: a project in languages or for other tools, and the Python or shell command that derives the same
// model.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { Problem } from "../backend/backend";
import type { About, Files, LanguageData, Project } from "../backend/messages";
import { language } from "./code";
import { save, zipped } from "../store/download";
import { unsetEdits } from "../tables/symbols";
import { CopyButton, ProblemPanel } from "./parts";
import { problemOf, type Session } from "./session";

/** Download an archive with the files of the model, build file, demo, README and robot for languages or other targets. */
export async function downloadProject(session: Session, languages: string[]): Promise<void> {
  if (!session.shown.peek()) return;
  const { folder, files, binaries } = await session.request<Project>("export", { languages });
  save(`${folder}.zip`, await zipped(folder, files, binaries));
}

/** Targets that are selected in the panel; null while it is closed. */
export const picked = signal<string[] | null>(null);

/** Return the export targets other than languages, such as "ROS 2 package". */
export const targetsOf = (about: About | null): LanguageData[] =>
  (about?.targets ?? []).map(({ id, title }) => ({ id, title: title.replace(/^a /, "") }));

/** Save the robot of the model in the file that the copied Python and the copied command read. */
async function saveRobot(session: Session): Promise<void> {
  const { robot } = session.shown.peek()!.view;
  const { files } = await session.store.backend.call<Files>("robot_write", { robot, format: "yaml" });
  for (const [name, text] of Object.entries(files)) save(name, text);
}

export function Downloads({ session }: { session: Session }) {
  const { answer } = session.current.value!;
  const root = useRef<HTMLDivElement>(null);
  const open = picked.value !== null;
  const { model } = session.store.requested.value ?? {};
  useEffect(() => () => void (picked.value = null), [model]);
  useEffect(() => {
    if (!open) return;
    const leave = (event: Event): void => {
      const escaped = event instanceof KeyboardEvent ? event.key === "Escape" : !root.current?.contains(event.target as Node);
      if (escaped) picked.value = null;
    };
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, leave);
    return () => {
      for (const kind of ["pointerdown", "keydown"]) removeEventListener(kind, leave);
    };
  }, [open]);
  return (
    <div class="md-downloads" ref={root}>
      <CopyButton text={() => answer.python}>Copy as Python</CopyButton>
      <CopyButton text={() => answer.command}>Copy as command</CopyButton>
      {answer.file && (
        <button
          type="button"
          class="md-button md-save-robot"
          title="The copied Python and the copied command read this file: save it in the folder in which they run"
          data-testid="models-save-robot"
          onClick={() => void saveRobot(session)}
        >
          Save {answer.file.replace(/^\.\//, "")}
        </button>
      )}
      <button type="button" class="md-button" data-tour="project" aria-expanded={open} onClick={() => (picked.value = open ? null : [language.peek()])}>
        Project …
      </button>
      {open && <ProjectPanel session={session} />}
    </div>
  );
}

function ProjectPanel({ session }: { session: Session }) {
  const chosen = picked.value ?? [];
  const busy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const toggle = (id: string): void => {
    picked.value = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
  };
  const download = async (): Promise<void> => {
    busy.value = true;
    problem.value = null;
    try {
      await downloadProject(session, chosen);
      picked.value = null;
    } catch (error) {
      problem.value = problemOf(error);
    } finally {
      busy.value = false;
    }
  };
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector("input:checked")?.scrollIntoView?.({ block: "nearest" }), []);
  useEffect(() => void (problem.value && list.current?.scrollTo?.({ top: 0 })), [problem.value]);
  const { store } = session;
  const isDerived = session.current.value?.view === store.view.value;
  const keepValues = async (): Promise<void> => {
    await store.edit(unsetEdits(store));
    problem.value = null;
  };
  const choices = (title: string, targets: LanguageData[]) => (
    <div class="md-languages" role="group" aria-label={title}>
      {targets.map(({ id, title }) => (
        <label class="md-flag">
          <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
          <span>{title}</span>
        </label>
      ))}
    </div>
  );
  return (
    <div class="md-panel" role="region" aria-label="Download the project">
      <div class="md-targets" ref={list} tabIndex={0} role="group" aria-label="targets">
        {problem.value && <ProblemPanel problem={problem.value} />}
        <p>Source files, build file, demo, README and robot file, in</p>
        {choices("languages", session.about.value?.languages ?? [])}
        <p>or for another tool</p>
        {choices("tools", targetsOf(session.about.value))}
      </div>
      {problem.value?.message.includes("without a number") && (
        <button type="button" class="md-button" onClick={() => void keepValues().catch((error: unknown) => (problem.value = problemOf(error)))}>
          Store the slider values as nominal values
        </button>
      )}
      <button type="button" class="md-button md-primary" disabled={busy.value || !isDerived || chosen.length === 0} onClick={download}>
        {busy.value ? "Generating …" : "Download .zip"}
      </button>
    </div>
  );
}
