// Options of a model as a form: which fields there are, what a text in a field means, what is worth sending.

import type { EntryData, FormData, OptionData } from "../back/messages";

export type Options = Record<string, unknown>;

/** Whether a value says something: null and an empty list or text do not. */
export function says(value: unknown): boolean {
  return value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** The form that the robot of a catalogue takes with these options. */
export function formOf(entry: EntryData, options: Options): FormData {
  const all: FormData[] = [entry, ...entry.forms];
  const led = (entry.switches ?? []).find(({ option, value }) =>
    value === null ? says(options[option]) : options[option] === value,
  );
  return all[led ? led.form : (entry.form ?? 0)] ?? entry;
}

/** The options to show: those of the form taken, and those that lead to another form of this robot. */
export function fieldsOf(entry: EntryData, options: Options): OptionData[] {
  const own = formOf(entry, options).options;
  const names = new Set(own.map((option) => option.name));
  const leading = new Set((entry.switches ?? []).map((one) => one.option));
  const others: OptionData[] = [];
  for (const form of [entry, ...entry.forms] as FormData[]) {
    for (const option of form.options) {
      if (leading.has(option.name) && !names.has(option.name)) {
        names.add(option.name);
        others.push(option);
      }
    }
  }
  return [...own, ...others];
}

/** What is sent: options of the form that say something other than their default. */
export function given(entry: EntryData, options: Options): Options {
  const changed: Options = {};
  for (const option of fieldsOf(entry, options)) {
    const value = options[option.name];
    if (says(value) && JSON.stringify(value) !== JSON.stringify(option.default)) changed[option.name] = value;
  }
  return changed;
}

/** The name of an option in words: `from` is no name in Python, so that it is called `frm` there. */
export function labelOf({ name }: Pick<OptionData, "name">): string {
  return name === "frm" ? "from" : name.replaceAll("_", " ");
}

/** The text of a field. */
export function shown(option: OptionData, value: unknown): string {
  const said = value === undefined ? option.default : value;
  if (!says(said)) return "";
  if (option.kind === "points") return (said as unknown[]).map(pointText).join("; ");
  return Array.isArray(said) ? said.join(", ") : String(said);
}

function pointText(point: unknown): string {
  return Array.isArray(point) ? `${point[0]} (${(point[1] as unknown[]).join(", ")})` : String(point);
}

const frame = (text: string): number | string => (/^-?\d+$/.test(text) ? Number(text) : text);

/** The value of a field's text; null leaves the option to its default. Throws a RangeError that says what is expected. */
export function read(option: OptionData, text: string): unknown {
  const said = text.trim();
  if (said === "") return null;
  switch (option.kind) {
    case "flag":
      return said === "true";
    case "number": {
      const value = Number(said);
      if (!Number.isFinite(value)) throw new RangeError("expected a number");
      return value;
    }
    case "frame":
      return frame(said);
    case "frames":
      return said
        .split(",")
        .map((part) => part.trim())
        .filter(Boolean)
        .map(frame);
    case "points":
      return said.split(";").map((part) => part.trim()).filter(Boolean).map(readPoint);
    default:
      return said;
  }
}

function readPoint(text: string): unknown {
  const match = /^([^(]+?)\s*(?:\(([^()]*)\))?$/.exec(text);
  const place = match?.[2]?.split(",").map((part) => part.trim());
  if (!match || (place && (place.length !== 3 || place.includes("")))) {
    throw new RangeError("expected frames, or frames with a point: 6 (0, 0, 0.1); 4");
  }
  return place ? [frame(match[1]!), place] : frame(match[1]!);
}
