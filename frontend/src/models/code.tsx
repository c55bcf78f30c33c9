// The tab with the source code of a model in any language.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Files } from "../backend/messages";
import { save } from "../store/download";
import { highlighted } from "./highlight";
import { storedSignal } from "./storedSignal";
import { CopyButton, ProblemPanel, useAnswer, Waiting } from "./parts";
import type { Session } from "./session";

export const language = storedSignal("language", "c");
export const ending = storedSignal("file", "");

/** Return the source files of the model shown in the selected language. */
export function codeOf(session: Session): Promise<Files> {
  return session.request<Files>("code", { language: language.peek() });
}

/** Return the file names without their common prefix: ".h", ".c", "_batch.c". */
export function endings(names: string[]): string[] {
  let common = names[0] ?? "";
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  const cut = names.length > 1 ? common.replace(/[._]$/, "").length : common.search(/\.[^.]*$/);
  return names.map((name) => name.slice(cut));
}

/** Return the file to show: the one with the selected ending, or else the longest file of the model itself. */
export function fileOf(files: Record<string, string>, chosen: string): string {
  const names = Object.keys(files);
  const ends = endings(names);
  const known = names[ends.indexOf(chosen)];
  const own = names.filter((_, at) => ends[at]!.startsWith("."));
  const length = (name: string): number => files[name]!.length;
  return known ?? own.sort((a, b) => length(b) - length(a))[0] ?? names[0] ?? "";
}

export function Code({ session }: { session: Session }) {
  const shown = session.shown.value!;
  const { value, problem } = useAnswer(() => codeOf(session), [shown, language.value]);
  const languages = session.about.value?.languages ?? [];
  const names = Object.keys(value?.files ?? {});
  const name = value ? fileOf(value.files, ending.value) : "";
  const text = value?.files[name] ?? "";
  return (
    <div class="md-column">
      <div class="md-bar">
        <select
          class="md-select"
          aria-label="Language"
          value={language.value}
          onChange={(event) => (language.value = event.currentTarget.value)}
        >
          {languages.map(({ id, title }) => (
            <option value={id}>{title}</option>
          ))}
        </select>
        <div class="md-files" role="tablist" aria-label="Files">
          {names.map((one, at) => (
            <button
              type="button"
              role="tab"
              aria-selected={one === name}
              onClick={() => (ending.value = endings(names)[at]!)}
            >
              {one}
            </button>
          ))}
        </div>
        <span class="md-space" />
        {value && <span class="md-note">{lines(text)} lines</span>}
        <CopyButton text={() => text}>Copy</CopyButton>
        <button type="button" class="md-button" disabled={!value} onClick={() => save(name, text)}>
          Download
        </button>
      </div>
      {problem && <ProblemPanel problem={problem} />}
      {!value && !problem && <Waiting>generating code …</Waiting>}
      {value && <Source name={name} text={text} />}
    </div>
  );
}

const lines = (text: string): number => text.split("\n").length - (text.endsWith("\n") ? 1 : 0);

/** Source text with syntax colours; plain until the highlighter is loaded. */
function Source({ name, text }: { name: string; text: string }) {
  const html = useSignal<string | null>(null);
  const wanted = useSignal({ name, text });
  useEffect(() => {
    wanted.value = { name, text };
  }, [name, text]);
  useSignalEffect(() => {
    const now = wanted.value;
    html.value = null;
    let current = true;
    void highlighted(now.name, now.text).then((markup) => current && (html.value = markup));
    return () => {
      current = false;
    };
  });
  if (html.value === null || wanted.value.text !== text) return <pre class="md-text md-code" tabIndex={0}>{text}</pre>;
  // highlight.js escapes the text.
  return <pre class="md-text md-code" tabIndex={0} dangerouslySetInnerHTML={{ __html: html.value }} />;
}
