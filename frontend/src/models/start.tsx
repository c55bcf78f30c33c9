// The pane without a selected model: the list of all models, grouped by SYMORO's menus.

import { useSignal } from "@preact/signals";

import type { EntryData } from "../backend/messages";
import { menusInOrder, modelsInOrder, shortTitle, subtitle } from "../shell/modelMenus";
import { matching, modelCandidate } from "../shell/search";
import type { Session } from "./session";
import { ProblemPanel, Waiting } from "./parts";

export function Start({ session }: { session: Session }) {
  const { store } = session;
  const models = session.catalogue.value;
  const problem = session.problem.value;
  const query = useSignal("");
  const candidates = (models ?? []).map((entry) => ({ ...modelCandidate(entry), entry }));
  const listed = new Set(matching(candidates, query.value).map(({ entry }) => entry));
  const allMenus = menusInOrder(session.about.value?.menus ?? []);
  // Actions that belong to a menu of models, such as the singularities.
  const actions = matching(
    store.actions.value.filter(({ group }) => allMenus.includes(group)).map((action) => ({ ...action, words: action.words ?? "" })),
    query.value,
  );
  const menus = allMenus.filter((menu) => [...listed].some((entry) => entry.menu === menu) || actions.some(({ group }) => group === menu));
  const inMenu = (menu: string, applicable: boolean) =>
    modelsInOrder(models!)
      .filter((entry) => entry.menu === menu && listed.has(entry) && !entry.why_not === applicable)
      .map((entry) => (
        <li>
          <Choice entry={entry} ready={store.view.value !== null} onChoose={() => (store.requested.value = { model: entry.id, options: {} })} />
        </li>
      ));
  return (
    <section class="md-start" aria-label="Models">
      {problem && <ProblemPanel problem={problem} />}
      {!models && !problem && <Waiting>loading the catalogue …</Waiting>}
      {models && (
        <input
          class="md-search"
          type="search"
          placeholder={`Search ${models.length} models, for example mass matrix`}
          aria-label="Search models"
          data-testid="models-search"
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
        />
      )}
      {models && menus.length === 0 && <p class="md-muted">No match.</p>}
      {models && (
        <div class="md-menus">
          {menus.map((menu) => (
            <div>
              <h2>{menu}</h2>
              <ul>
                {inMenu(menu, true)}
                {actions
                  .filter((action) => action.group === menu)
                  .map(({ title, subtitle, enabled, run }) => (
                    <li>
                      <button type="button" disabled={enabled ? !enabled() : false} onClick={() => void run()}>
                        {title}
                        {subtitle && <small>{subtitle}</small>}
                      </button>
                    </li>
                  ))}
                {inMenu(menu, false)}
              </ul>
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

function Choice({ entry, ready, onChoose }: { entry: EntryData; ready: boolean; onChoose: () => void }) {
  const why = ready ? entry.why_not : "open a robot first";
  return (
    <button type="button" disabled={Boolean(why)} title={why ? `Not for this robot: ${why}` : tooltip(entry)} onClick={onChoose}>
      {shortTitle(entry)}
      {subtitle(entry) && <small>{subtitle(entry)}</small>}
    </button>
  );
}

/** Return the reference of a model and its other names. */
function tooltip({ aliases, reference }: EntryData): string {
  return aliases.length ? `${reference}\nother names: ${aliases.join(", ")}` : reference;
}
