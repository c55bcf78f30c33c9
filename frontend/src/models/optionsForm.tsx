// The options of a model as a form, generated from the catalogue.

import { useSignal } from "@preact/signals";

import type { EntryData, OptionData, View } from "../backend/messages";
import { fieldsOf, formOf, hintOf, labelOf, read, shown, type Options } from "./options";

export interface OptionsFormProps {
  entry: EntryData;
  view: View | null;
  options: Options;
  onChange: (options: Options) => void;
}

export function OptionsForm({ entry, view, options, onChange }: OptionsFormProps) {
  const fields = fieldsOf(entry, options);
  const of = formOf(entry, options).of;
  if (fields.length === 0) return <p class="md-muted">{of ? `${capital(of)}; no options.` : "No options."}</p>;
  return (
    <form class="md-options" onSubmit={(event) => event.preventDefault()}>
      {of && <p class="md-muted">{capital(of)}</p>}
      {fields.map((option) => (
        <Field
          key={`${entry.id} ${option.name}`}
          option={option}
          value={options[option.name]}
          view={view}
          onChange={(value) => onChange(changed(options, option.name, value))}
        />
      ))}
      {Object.keys(options).length > 0 && (
        <button type="button" class="md-button" onClick={() => onChange({})}>
          Defaults
        </button>
      )}
    </form>
  );
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Return the options with one of them changed; null removes it. */
export function changed(options: Options, name: string, value: unknown): Options {
  const { [name]: _, ...others } = options;
  return value === null ? others : { ...others, [name]: value };
}

interface FieldProps {
  option: OptionData;
  value: unknown;
  view: View | null;
  onChange: (value: unknown) => void;
}

function Field(props: FieldProps) {
  const { option, value, onChange } = props;
  if (option.kind === "flag") {
    return (
      <label class="md-option md-flag" title={option.title}>
        <input
          type="checkbox"
          checked={(value ?? option.default) === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>{labelOf(option)}</span>
        <small class="md-hint">{hintOf(option, value)}</small>
      </label>
    );
  }
  return (
    <label class="md-option" title={option.title}>
      <span>{labelOf(option)}</span>
      {option.kind === "choice" ? <Choice {...props} /> : option.kind === "frame" ? <FrameChoice {...props} /> : <Text {...props} />}
      <small class="md-hint">{hintOf(option, value)}</small>
    </label>
  );
}

function Choice({ option, value, onChange }: FieldProps) {
  return (
    <select
      class="md-select"
      value={String(value ?? option.default ?? "")}
      onChange={(event) => onChange(read(option, event.currentTarget.value))}
    >
      {option.default === null && <option value="">—</option>}
      {option.choices.map((choice) => (
        <option value={choice}>{choice}</option>
      ))}
    </select>
  );
}

function FrameChoice({ option, value, view, onChange }: FieldProps) {
  const frames = [{ frame: 0, name: "base" }, ...(view?.frames ?? [])];
  return (
    <select
      class="md-select"
      value={shown(option, value)}
      onChange={(event) => onChange(read(option, event.currentTarget.value))}
    >
      {option.default === null && <option value="">default</option>}
      {frames.map(({ frame, name }) => (
        <option value={String(frame)}>
          {frame}
          {name && name !== String(frame) ? ` · ${name}` : ""}
        </option>
      ))}
      {view?.tool && <option value="tool">tool</option>}
    </select>
  );
}

function Text({ option, value, onChange }: FieldProps) {
  const wrong = useSignal("");
  const typed = useSignal(""); // an invalid text stays in the field, so that it can be corrected
  return (
    <>
      <input
        type="text"
        spellcheck={false}
        placeholder={HINTS[option.kind] ?? ""}
        value={wrong.value ? typed.value : shown(option, value)}
        aria-invalid={wrong.value !== ""}
        onChange={(event) => {
          try {
            const next = read(option, event.currentTarget.value);
            wrong.value = "";
            onChange(next);
          } catch (error) {
            typed.value = event.currentTarget.value;
            wrong.value = error instanceof Error ? error.message : String(error);
          }
        }}
      />
      {wrong.value && <span class="md-wrong">{wrong.value}</span>}
    </>
  );
}

const HINTS: Partial<Record<OptionData["kind"], string>> = {
  frames: "3, 5",
  points: "6 (0, 0, 0.1); 4",
  posture: "home, or 0.7, -1.4, 0.6",
};
