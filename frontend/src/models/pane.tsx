// The lower pane of the workbench: the selected model, its options and its views.

import { untracked, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";

import { Maximise, reveal } from "../shell/maximise";
import { shortTitle, subtitle } from "../shell/modelMenus";
import type { About, ModelPort } from "../backend/messages";
import type { Action, ModelChoice, Store } from "../store/store";
import { Code, codeOf, ending, fileOf, language } from "./code";
import { Compare, comparison, firstComparison } from "./compare";
import { countText, CountTab } from "./count";
import { copy } from "../store/clipboard";
import { save } from "../store/download";
import { downloadProject, Downloads, picked, targetsOf } from "./downloads";
import { Equations, Typeset } from "./equations";
import { Identify } from "./identify";
import { prepareKatex } from "./katex";
import { storedSignal } from "./storedSignal";
import { Numbers } from "./numbers";
import { OptionsForm } from "./optionsForm";
import { ProblemPanel, Unit, Waiting } from "./parts";
import { Plots } from "./plots";
import { Relations } from "./relations";
import { CANCELLED, createSession, type Session } from "./session";
import { Start } from "./start";
import "./models.css";
import "./tabs.css";
import "./identify.css";

const TABS = [
  ["equations", "Equations"],
  ["code", "Code"],
  ["count", "Count"],
  ["derivation", "Derivation"],
  ["relations", "Relations"],
  ["numbers", "Numbers"],
  ["plots", "Plots"],
] as const;

type Tab = (typeof TABS)[number][0];

const tab = storedSignal("tab", "equations");

export function ModelsPane({ store }: { store: Store }) {
  const session = useMemo(() => createSession(store), [store]);
  useEffect(() => {
    prepareKatex();
    return () => session.dispose();
  }, [session]);
  useSignalEffect(() => {
    const actions = actionsOf(session, session.about.value);
    return untracked(() => store.register(actions));
  });
  const model = store.requested.value?.model;
  const before = useRef(model);
  useEffect(() => {
    // Plots belong to the robot; selecting another model shows its equations.
    if (before.current && model && model !== before.current && tab.value === "plots") tab.value = "equations";
    before.current = model ?? before.current;
  }, [model]);
  useSignalEffect(() => {
    // Selecting a model closes the log and the comparison.
    store.requested.value;
    untracked(() => {
      store.log.value = null;
      comparison.value = null;
    });
  });
  if (store.log.value && store.view.value) return <Identify store={store} />;
  const start = !store.requested.value || !store.view.value;
  return (
    <div class="md-pane">
      <OpenModels session={session} />
      {start ? (
        <Start session={session} />
      ) : comparison.value ? (
        <Compare session={session} />
      ) : (
        <>
          <Header session={session} />
          <div class="md-body">
            <Side session={session} />
            <Result session={session} />
          </div>
        </>
      )}
    </div>
  );
}

/** The models that are open, as tabs, and the command that compares two of them. */
function OpenModels({ session }: { session: Session }) {
  const { store } = session;
  const models = store.models.value;
  const tabs = useRef<HTMLDivElement>(null);
  useLayoutEffect(
    () => tabs.current?.querySelector("[data-current]")?.scrollIntoView?.({ block: "nearest", inline: "nearest" }),
    [models, store.requested.value?.model],
  );
  if (!store.view.value || models.length === 0) return null;
  const titleOf = (id: string): string => {
    const entry = session.catalogue.value?.find((one) => one.id === id);
    return entry ? shortTitle(entry) : id;
  };
  const current = comparison.value ? null : store.requested.value?.model;
  const choose = (choice: ModelChoice | null): void => {
    comparison.value = null;
    store.requested.value = choice;
  };
  return (
    <div class="md-open" role="group" aria-label="Open models">
      <div class="md-open-models" ref={tabs}>
        {models.map((choice) => (
          <span class="md-open-model" key={choice.model} data-current={choice.model === current || undefined}>
            <button type="button" aria-pressed={choice.model === current} data-open-model={choice.model} onClick={() => choose(choice)}>
              {titleOf(choice.model)}
            </button>
            <button
              type="button"
              class="md-open-close"
              aria-label={`Close ${titleOf(choice.model)}`}
              title="Close"
              onClick={() => store.closeModel(choice.model)}
            >
              ×
            </button>
          </span>
        ))}
      </div>
      <button type="button" class="md-open-add" aria-label="All models" title="All models" onClick={() => choose(null)}>
        +
      </button>
      <button
        type="button"
        class="md-open-compare"
        aria-pressed={comparison.value !== null}
        disabled={!store.requested.value}
        title="Two models or robots side by side, with their operation counts"
        data-testid="models-compare"
        onClick={() => (comparison.value = comparison.value ? null : firstComparison(store))}
      >
        Compare
      </button>
    </div>
  );
}

function Header({ session }: { session: Session }) {
  const { store } = session;
  const entry = session.entry.value;
  const current = session.current.value;
  return (
    <header class="md-header">
      <div class="md-title">
        {entry && <span class="md-menu">{entry.menu}</span>}
        <h2 title={entry ? subtitle(entry) : undefined}>{entry ? shortTitle(entry) : store.requested.value!.model}</h2>
        {entry && <span class="md-reference">{subtitle(entry)}</span>}
        {entry && (
          <span class="md-reference" title={entry.reference}>
            {current?.answer.reference ?? entry.reference}
          </span>
        )}
      </div>
      <Progressing session={session} />
      {current && (
        <span class="md-count" title="multiplications and additions per call">
          {countText(current.answer.count)}
        </span>
      )}
      {current && <Downloads session={session} />}
      <Maximise store={store} pane="models" />
    </header>
  );
}

/** Progress of a computation, shown if it takes longer than a moment. */
function Progressing({ session }: { session: Session }) {
  const progress = session.progress.value;
  const long = useSignal(false);
  const busy = progress !== null;
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => (long.value = true), 300);
    return () => {
      clearTimeout(timer);
      long.value = false;
    };
  }, [busy]);
  if (!progress || !long.value) return null;
  const { step, done, total } = progress;
  return (
    <span class="md-progress" role="status">
      <progress value={total ? done : undefined} max={total || undefined} />
      <span>{step ?? "deriving"}</span>
      <button type="button" class="md-button" onClick={() => session.cancel()}>
        Cancel
      </button>
    </span>
  );
}

/** Options, inputs and outputs of the model. */
function Side({ session }: { session: Session }) {
  const { store } = session;
  const entry = session.entry.value;
  const request = store.requested.value!;
  const answer = session.shown.value?.answer;
  return (
    <div class="md-side">
      {entry && (
        <OptionsForm
          entry={entry}
          view={store.view.value}
          options={request.options}
          onChange={(options) => (store.requested.value = { model: request.model, options })}
        />
      )}
      {answer && answer.model === request.model && (
        <div class="md-ports">
          <Ports title="Inputs" ports={answer.ports.filter(({ direction }) => direction === "in")} />
          <Ports title="Outputs" ports={answer.ports.filter(({ direction }) => direction === "out")} />
        </div>
      )}
    </div>
  );
}

function Ports({ title, ports }: { title: string; ports: ModelPort[] }) {
  if (!ports.length) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl>
        {ports.map((port) => (
          <>
            <dt>
              {port.name}
              <span class="md-muted"> {port.shape.join("×")}</span>
            </dt>
            <dd title={port.title}>
              {port.title} <Unit of={port.unit} />
            </dd>
          </>
        ))}
      </dl>
    </>
  );
}

function tabsOf(session: Session): (readonly [Tab, string])[] {
  const answer = session.shown.value?.answer;
  return TABS.filter(([id]) => {
    if (id === "derivation") return (answer?.derivation.length ?? 0) > 0;
    if (id === "relations") return answer?.model === "base-parameters" || (answer?.columns.length ?? 0) > 0;
    return true;
  });
}

function Result({ session }: { session: Session }) {
  const { store } = session;
  const shown = session.shown.value;
  const problem = session.problem.value;
  const why = session.entry.value?.why_not;
  const tabs = tabsOf(session);
  const current = tabs.find(([id]) => id === tab.value)?.[0] ?? "equations";
  const stale = shown !== null && shown.request.model !== store.requested.value!.model;
  return (
    <div class="md-result">
      <div class="md-tabs" role="tablist" aria-label="Views of the model">
        {tabs.map(([id, title]) => (
          <button
            type="button"
            role="tab"
            id={`md-tab-${id}`}
            data-tour={id}
            aria-selected={id === current}
            tabIndex={id === current ? 0 : -1}
            onClick={() => (tab.value = id)}
            onKeyDown={(event) => step(event, tabs.map(([one]) => one), current)}
          >
            {title}
          </button>
        ))}
      </div>
      {problem && (
        <ProblemPanel problem={why && problem.kind === "NotApplicableError" ? { ...problem, message: notFor(store, why) } : problem}>
          {problem.kind === CANCELLED && (
            <button type="button" class="md-button" onClick={() => session.retry()}>
              Derive again
            </button>
          )}
        </ProblemPanel>
      )}
      {!shown && !problem && <Waiting>deriving the model …</Waiting>}
      {shown && !(problem && stale) && (
        <div
          class={`md-view ${session.progress.value || problem ? "md-old" : ""}`}
          role="tabpanel"
          aria-labelledby={`md-tab-${current}`}
        >
          <View session={session} tab={current} />
        </div>
      )}
    </div>
  );
}

const notFor = (store: Store, why: string): string =>
  `This model does not apply to ${store.view.value?.name ?? "this robot"}: ${why}`;

function step(event: KeyboardEvent, tabs: Tab[], current: Tab): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (!by) return;
  const next = tabs[(tabs.indexOf(current) + by + tabs.length) % tabs.length]!;
  tab.value = next;
  document.getElementById(`md-tab-${next}`)?.focus();
}

function View({ session, tab }: { session: Session; tab: Tab }) {
  switch (tab) {
    case "equations":
      // The search belongs to the model.
      return <Equations key={session.shown.value!.request.model} session={session} />;
    case "code":
      return <Code session={session} />;
    case "count":
      return <CountTab session={session} />;
    case "derivation":
      return <Typeset latex={session.shown.value!.answer.derivation.join("\n")} label="derivation" />;
    case "relations":
      return <Relations session={session} />;
    case "numbers":
      return <Numbers session={session} />;
    case "plots":
      return <Plots session={session} />;
  }
}

const TAB_WORDS: Partial<Record<Tab, string>> = {
  equations: "find formulas typeset",
  count: "operations flops cost",
  relations: "base parameters grouping",
  numbers: "evaluate values",
  plots: "graph curves",
};

/** Commands of the palette that concern the model shown; one per language that the service writes. */
function actionsOf(session: Session, about: About | null): Action[] {
  const group = "Model";
  const unless = "choose a model first";
  const enabled = (): boolean => session.current.value !== null;
  const file = async (): Promise<[string, string]> => {
    const { files } = await codeOf(session);
    const name = fileOf(files, ending.peek());
    return [name, files[name] ?? ""];
  };
  return [
    ...TABS.map(([id, title]) => ({
      id: `models.tab.${id}`,
      title: `Show ${title.toLowerCase()}`,
      words: TAB_WORDS[id],
      group,
      enabled: () => enabled() && tabsOf(session).some(([one]) => one === id),
      run: () => {
        tab.value = id;
        reveal(session.store, "models");
      },
    })),
    ...(about?.languages ?? []).map(({ id, title }) => ({
      id: `models.code.${id}`,
      title: `Code in ${title}`,
      words: `${id} export source generation`,
      group,
      enabled,
      run: () => {
        language.value = id;
        tab.value = "code";
        reveal(session.store, "models");
      },
    })),
    ...targetsOf(about).map(({ id, title }) => ({
      id: `models.export.${id}`,
      title: `Export as ${title}`,
      words: `${id} code generation project zip`,
      group,
      enabled,
      run: () => {
        reveal(session.store, "models");
        picked.value = [id];
      },
    })),
    { id: "models.copy.code", title: "Copy the code", group, enabled, run: async () => copy((await file())[1]) },
    { id: "models.download.file", title: "Download the source file", group, enabled, run: async () => save(...(await file())) },
    {
      id: "models.download.project",
      title: "Download the model as a project",
      words: "export zip code generation compile",
      group,
      enabled,
      run: () => downloadProject(session, [language.peek()]),
    },
    { id: "models.copy.python", title: "Copy the model as Python", group, enabled, run: () => copy(session.current.peek()!.answer.python) },
    { id: "models.copy.command", title: "Copy the model as a command", group, enabled, run: () => copy(session.current.peek()!.answer.command) },
    { id: "models.copy.latex", title: "Copy the equations as LaTeX", group, enabled, run: () => copy(session.current.peek()!.answer.latex) },
    {
      id: "models.compare",
      title: "Compare two models or robots",
      words: "side by side operation count",
      group,
      enabled: () => session.store.requested.value !== null,
      run: () => void (comparison.value = firstComparison(session.store)),
    },
    { id: "models.cancel", title: "Cancel the derivation", group, enabled: () => session.progress.value !== null, run: () => session.cancel() },
  ].map((action) => ({ unless, ...action }));
}
