// Command palette: search for models, robots and commands.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { ShellState } from "./shellState";
import { FORMAT_NAMES, writable } from "./actions";
import { earlierRobots, openBundled, openRecent, saveAs } from "./files";
import { openModel } from "./maximise";
import { modelsInOrder } from "./modelMenus";
import { matching, modelCandidate, type Candidate } from "./search";

interface Command extends Candidate {
  id: string;
  keys?: string | undefined;
  disabled?: string | undefined;
  run: () => void | Promise<unknown>;
}

export function commandsOf(shell: ShellState): Command[] {
  const models = modelsInOrder(shell.catalogue.value).map(
    (entry): Command => ({
      id: `model ${entry.id}`,
      ...modelCandidate(entry),
      disabled: entry.why_not ?? undefined,
      run: () => openModel(shell.store, entry.id),
    }),
  );
  const actions = shell.store.actions.value
    .filter((action) => action.id !== "palette")
    .map(
      (action): Command => ({
        id: `action ${action.id}`,
        title: action.title,
        subtitle: action.subtitle,
        group: action.group,
        words: action.words,
        keys: action.keys?.split(", ")[0],
        disabled: (action.enabled?.() ?? true) ? undefined : (action.unless ?? "not available now"),
        run: action.run,
      }),
    );
  const robots = shell.robots.value.map(
    (robot): Command => ({
      id: `robot ${robot.id}`,
      title: `Open ${robot.name}`,
      group: "Gallery",
      words: `${robot.id} ${robot.title} ${robot.structure} ${robot.family === "wheeled" ? "mobile " : ""}robot`,
      run: () => openBundled(shell, robot.id),
    }),
  );
  const exports = writable(shell).map(
    ({ id }): Command => ({
      id: `export ${id}`,
      title: `Export the robot as ${FORMAT_NAMES[id] ?? id}`,
      group: "Robot",
      words: `save write ${id}`,
      disabled: shell.store.view.value ? undefined : "open a robot first",
      run: () => saveAs(shell, id),
    }),
  );
  const recent = earlierRobots(shell).map(
    (entry): Command => ({
      id: `recent ${entry.id}`,
      title: `Open ${entry.name} again`,
      group: "Recent",
      words: `recent ${entry.description}`,
      run: () => openRecent(shell, entry),
    }),
  );
  return [...models, ...actions, ...exports, ...recent, ...robots];
}

const MOST = 60;

export function Palette({ shell }: { shell: ShellState }) {
  return shell.palette.value ? <OpenPalette shell={shell} /> : null;
}

function OpenPalette({ shell }: { shell: ShellState }) {
  const query = useSignal("");
  const at = useSignal(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const matches = matching(commandsOf(shell), query.value).slice(0, MOST);
  const here = Math.min(at.value, Math.max(0, matches.length - 1));

  // Focus before the next key event, so that typed text arrives in the field.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    input.current?.focus();
    return () => before?.focus?.();
  }, []);
  useLayoutEffect(
    () => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    [here],
  );

  function run(command: Command | undefined): void {
    if (!command || command.disabled) return;
    shell.palette.value = false;
    // Run after the palette has restored the focus, because the command may move it.
    setTimeout(() => void command.run(), 0);
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key === "Escape") shell.palette.value = false;
    else if (event.key === "ArrowDown") at.value = (here + 1) % Math.max(1, matches.length);
    else if (event.key === "ArrowUp") at.value = (here - 1 + matches.length) % Math.max(1, matches.length);
    else if (event.key === "Enter") run(matches[here]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div
      class="sh-veil"
      onPointerDown={(event) => event.target === event.currentTarget && (shell.palette.value = false)}
    >
      <div class="sh-palette" role="dialog" aria-label="find" aria-modal="true">
        <input
          ref={input}
          class="sh-query"
          placeholder="Search for a model, a robot or a command"
          role="combobox"
          aria-expanded="true"
          aria-controls="sh-matches"
          aria-activedescendant={matches[here] ? `sh-matches-${here}` : undefined}
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={onKey}
        />
        <div class="sh-matches" id="sh-matches" role="listbox" ref={list}>
          {matches.map((command, i) => (
            <div
              key={command.id}
              id={`sh-matches-${i}`}
              role="option"
              class="sh-option"
              data-command={command.id}
              aria-selected={i === here}
              aria-disabled={command.disabled ? "true" : undefined}
              onPointerMove={() => (at.value = i)}
              onClick={() => run(command)}
            >
              <span class="sh-option-title">
                {command.title}
                {command.subtitle ? <span class="sh-option-subtitle">{command.subtitle}</span> : null}
              </span>
              <span class="sh-option-note">{command.disabled ?? command.group}</span>
              {command.keys ? <kbd>{command.keys}</kbd> : null}
            </div>
          ))}
          {matches.length === 0 ? <p class="sh-hint sh-nothing">No match.</p> : null}
        </div>
      </div>
    </div>
  );
}
