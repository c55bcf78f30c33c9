// Form for a new robot.

import { useSignal } from "@preact/signals";

import type { View } from "../backend/messages";
import type { ShellState } from "./shellState";

const STRUCTURES: [string, string][] = [
  ["serial", "serial: chain of links"],
  ["tree", "tree: chain with branches"],
  ["closed-loop", "closed loop: one kinematic loop"],
];
const BASES: [string, string][] = [
  ["fixed", "fixed"],
  ["floating", "floating: six degrees of freedom"],
  ["wheeled", "wheeled: rolls on the ground"],
];
const INERTIAS: [string, string][] = [
  ["symbolic", "symbolic: XX1, MX1, M1 \u2026"],
  ["zero", "zero: to be filled in"],
];

interface ChoiceProps {
  name: string;
  label: string;
  choices: [string, string][];
  value: { value: string };
}

function Choice({ name, label, choices, value }: ChoiceProps) {
  return (
    <label class="sh-line">
      <span>{label}</span>
      <select
        class="sh-field"
        name={name}
        value={value.value}
        onChange={(event) => (value.value = event.currentTarget.value)}
      >
        {choices.map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

export function NewPanel({ shell }: { shell: ShellState }) {
  const name = useSignal("robot");
  const links = useSignal(3);
  const structure = useSignal("serial");
  const base = useSignal("fixed");
  const inertia = useSignal("symbolic");
  const joints = structure.value === "closed-loop" ? links.value + 1 : links.value;

  function create(event: Event): void {
    event.preventDefault();
    const payload = {
      name: name.value.trim() || "robot",
      links: links.value,
      structure: structure.value,
      base: base.value,
      inertia: inertia.value,
    };
    void shell.openRobot("This robot cannot be created", () => shell.store.backend.call<View>("robot_new", payload));
  }

  return (
    <form class="sh-form" onSubmit={create} data-form="new">
      <label class="sh-line">
        <span>Name</span>
        <input
          class="sh-field"
          name="name"
          value={name.value}
          maxLength={100}
          onInput={(e) => (name.value = e.currentTarget.value)}
        />
      </label>
      <label class="sh-line">
        <span>Moving links</span>
        <input
          class="sh-field"
          name="links"
          type="number"
          min={structure.value === "closed-loop" ? 3 : 1}
          max={200}
          value={links.value}
          onInput={(e) => (links.value = Number(e.currentTarget.value))}
        />
      </label>
      <div class="sh-line">
        <span>Joints</span>
        <output>
          {joints}
          <span class="sh-hint">
            {structure.value === "closed-loop"
              ? " one more than links, which closes the loop"
              : " all revolute; change the type in column \u03c3 of the table"}
          </span>
        </output>
      </div>
      <Choice name="structure" label="Structure" choices={STRUCTURES} value={structure} />
      <Choice name="base" label="Base" choices={BASES} value={base} />
      <Choice name="inertia" label="Inertias" choices={INERTIAS} value={inertia} />
      <div class="sh-line">
        <span />
        <button type="submit" class="sh-button sh-main">
          Create
        </button>
      </div>
      <p class="sh-hint">
        Gravity is 9.81 m/s{"\u00b2"} along {"\u2212"}z. Everything can be changed in the tables afterwards.
        Undo restores the current robot.
      </p>
    </form>
  );
}
