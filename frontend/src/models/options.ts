// Options of a model as a form: visible fields, conversion of texts to values, and the options to send.

import type { EntryData, FormData, OptionData } from "../backend/messages";

export type Options = Record<string, unknown>;

/** Whether a value is set: null, an empty list and an empty text are not. */
export function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** Return the form of the model that is used for this robot with these options. */
export function formOf(entry: EntryData, options: Options): FormData {
  const all: FormData[] = [entry, ...entry.forms];
  const led = (entry.switches ?? []).find(({ option, value }) =>
    value === null ? isSet(options[option]) : options[option] === value,
  );
  return all[led ? led.form : (entry.form ?? 0)] ?? entry;
}

/** Return the options to show: those of the current form, and those that select another form for this robot. */
export function fieldsOf(entry: EntryData, options: Options): OptionData[] {
  const own = formOf(entry, options).options;
  const names = new Set(own.map((option) => option.name));
  const switches = new Set((entry.switches ?? []).map((one) => one.option));
  const others: OptionData[] = [];
  for (const form of [entry, ...entry.forms] as FormData[]) {
    for (const option of form.options) {
      if (switches.has(option.name) && !names.has(option.name)) {
        names.add(option.name);
        others.push(option);
      }
    }
  }
  return [...own, ...others];
}

/** Return the options to send: those of the current form that differ from their default. */
export function changedOptions(entry: EntryData, options: Options): Options {
  const changed: Options = {};
  for (const option of fieldsOf(entry, options)) {
    const value = options[option.name];
    if (isSet(value) && JSON.stringify(value) !== JSON.stringify(option.default)) changed[option.name] = value;
  }
  return changed;
}

/** Return the displayed name of an option: `frm` in Python (where `from` is reserved) is shown as `from`. */
export function labelOf({ name }: Pick<OptionData, "name">): string {
  return name === "frm" ? "from" : name.replaceAll("_", " ");
}

/** Return the meaning of the chosen value if the documentation of an option contains it, otherwise its first clause. */
export function hintOf({ title, kind, default: standard }: OptionData, value: unknown): string {
  const clauses = title.split("; ");
  const chosen = `${value ?? standard}: `;
  const meaning = kind === "choice" && clauses.find((clause) => clause.startsWith(chosen))?.slice(chosen.length);
  const [first] = clauses;
  // The choices of a frame are in the list of the field.
  return meaning || (kind === "frame" ? first!.split(": ")[0]! : first!).replaceAll("`", "");
}

/** Return the text of a field. */
export function shown(option: OptionData, value: unknown): string {
  const current = value === undefined ? option.default : value;
  if (!isSet(current)) return "";
  if (option.kind === "points") return (current as unknown[]).map(pointText).join("; ");
  return Array.isArray(current) ? current.join(", ") : String(current);
}

function pointText(point: unknown): string {
  return Array.isArray(point) ? `${point[0]} (${(point[1] as unknown[]).join(", ")})` : String(point);
}

const frame = (text: string): number | string => (/^-?\d+$/.test(text) ? Number(text) : text);

/** Return the value of a field's text; null selects the default. Throws a RangeError that states what is expected. */
export function read(option: OptionData, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  switch (option.kind) {
    case "flag":
      return trimmed === "true";
    case "number": {
      const value = Number(trimmed);
      if (!Number.isFinite(value)) throw new RangeError("expected a number");
      return value;
    }
    case "frame":
      return frame(trimmed);
    case "frames":
      return trimmed
        .split(",")
        .map((part) => part.trim())
        .filter(Boolean)
        .map(frame);
    case "points":
      return trimmed.split(";").map((part) => part.trim()).filter(Boolean).map(readPoint);
    default:
      return trimmed;
  }
}

function readPoint(text: string): unknown {
  const match = /^([^(]+?)\s*(?:\(([^()]*)\))?$/.exec(text);
  const place = match?.[2]?.split(",").map((part) => part.trim());
  if (!match || (place && (place.length !== 3 || place.includes("")))) {
    throw new RangeError("expected frame numbers, each with an optional point, separated by semicolons: 6 (0, 0, 0.1); 4");
  }
  return place ? [frame(match[1]!), place] : frame(match[1]!);
}
