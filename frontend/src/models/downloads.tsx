// Downloads of a model: a project in selected languages, and the Python or shell command that derives the same model.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { Problem } from "../backend/backend";
import type { Files, Project } from "../backend/messages";
import { language } from "./code";
import { save, zipped } from "../store/download";
import { CopyButton, ProblemPanel } from "./parts";
import { problemOf, type Session } from "./session";

/** Download an archive with the files of the model, build file, demo, README and robot for the given languages. */
export async function downloadProject(session: Session, languages: string[]): Promise<void> {
  if (!session.shown.peek()) return;
  const { folder, files } = await session.request<Project>("export", { languages });
  save(`${folder}.zip`, await zipped(folder, files));
}

/** Save the robot of the model in the file that the copied Python and the copied command read. */
async function saveRobot(session: Session): Promise<void> {
  const { robot } = session.shown.peek()!.view;
  const { files } = await session.store.backend.call<Files>("robot_write", { robot, format: "yaml" });
  for (const [name, text] of Object.entries(files)) save(name, text);
}

export function Downloads({ session }: { session: Session }) {
  const { answer } = session.current.value!;
  const open = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const { model } = session.store.requested.value ?? {};
  useEffect(() => void (open.value = false), [model]);
  useEffect(() => {
    if (!open.value) return;
    const leave = (event: Event): void => {
      const escaped = event instanceof KeyboardEvent ? event.key === "Escape" : !root.current?.contains(event.target as Node);
      if (escaped) open.value = false;
    };
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, leave);
    return () => {
      for (const kind of ["pointerdown", "keydown"]) removeEventListener(kind, leave);
    };
  }, [open.value]);
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
      <button type="button" class="md-button" data-tour="project" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        Project …
      </button>
      {open.value && <ProjectPanel session={session} onDone={() => (open.value = false)} />}
    </div>
  );
}

function ProjectPanel({ session, onDone }: { session: Session; onDone: () => void }) {
  const picked = useSignal<string[]>([language.peek()]);
  const busy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const toggle = (id: string): void => {
    picked.value = picked.value.includes(id) ? picked.value.filter((one) => one !== id) : [...picked.value, id];
  };
  const download = async (): Promise<void> => {
    busy.value = true;
    problem.value = null;
    try {
      await downloadProject(session, picked.value);
      onDone();
    } catch (error) {
      problem.value = problemOf(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <div class="md-panel" role="region" aria-label="Download the project">
      <p>Source files, build file, demo, README and robot file, in</p>
      <div class="md-languages">
        {(session.about.value?.languages ?? []).map(({ id, title }) => (
          <label class="md-flag">
            <input type="checkbox" checked={picked.value.includes(id)} onChange={() => toggle(id)} />
            <span>{title}</span>
          </label>
        ))}
      </div>
      {problem.value && <ProblemPanel problem={problem.value} />}
      <button type="button" class="md-button md-primary" disabled={busy.value || picked.value.length === 0} onClick={download}>
        {busy.value ? "Generating …" : "Download .zip"}
      </button>
    </div>
  );
}
