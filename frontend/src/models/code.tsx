// A model as source files of any language.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Files } from "./answers";
import { save } from "./download";
import { highlighted } from "./highlight";
import { remembered } from "./memory";
import { CopyButton, ProblemPanel, useAnswer, Waiting } from "./parts";
import type { Session } from "./session";

export const language = remembered("language", "c");
const file = remembered("file", "");

/** The files of the model that is shown, in the language chosen. */
export function codeOf(session: Session): Promise<Files> {
  return session.ask<Files>("code", { language: language.peek() });
}

/** The file that is looked at: the one of that ending, else the first. */
export function fileOf(files: Record<string, string>): string {
  const names = Object.keys(files);
  return names.find((name) => ending(name) === file.value) ?? names[0] ?? "";
}

const ending = (name: string): string => name.slice(name.indexOf("."));

export function Code({ session }: { session: Session }) {
  const shown = session.shown.value!;
  const { value, problem } = useAnswer(() => codeOf(session), [shown, language.value]);
  const languages = session.about.value?.languages ?? [];
  const name = value ? fileOf(value.files) : "";
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
          {Object.keys(value?.files ?? {}).map((one) => (
            <button type="button" role="tab" aria-selected={one === name} onClick={() => (file.value = ending(one))}>
              {one}
            </button>
          ))}
        </div>
        <span class="md-space" />
        {value && <span class="md-muted">{lines(text)} lines</span>}
        <CopyButton text={() => text}>Copy</CopyButton>
        <button type="button" class="md-button" disabled={!value} onClick={() => save(name, text)}>
          Download
        </button>
      </div>
      {problem && <ProblemPanel problem={problem} />}
      {!value && !problem && <Waiting>writing the code …</Waiting>}
      {value && <Source name={name} text={text} />}
    </div>
  );
}

const lines = (text: string): number => text.split("\n").length - (text.endsWith("\n") ? 1 : 0);

/** Text with colours, once the highlighter is there; plain until then. */
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
    void highlighted(now.name, now.text).then((found) => current && (html.value = found));
    return () => {
      current = false;
    };
  });
  if (html.value === null || wanted.value.text !== text) return <pre class="md-text md-code" tabIndex={0}>{text}</pre>;
  // highlight.js escapes the text it colours.
  return <pre class="md-text md-code" tabIndex={0} dangerouslySetInnerHTML={{ __html: html.value }} />;
}
