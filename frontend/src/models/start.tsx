// The pane without a selected model: the list of all models, grouped by SYMORO's menus.

import type { EntryData } from "../backend/messages";
import type { Session } from "./session";
import { ProblemPanel, Waiting } from "./parts";

export function Start({ session }: { session: Session }) {
  const { store } = session;
  const models = session.catalogue.value;
  const problem = session.problem.value;
  const menus = session.about.value?.menus ?? [];
  return (
    <section class="md-pane md-start" aria-label="Models">
      {problem && <ProblemPanel problem={problem} />}
      {!models && !problem && <Waiting>loading the catalogue …</Waiting>}
      {models && (
        <div class="md-menus">
          {menus.map((menu) => (
            <div>
              <h4>{menu}</h4>
              <ul>
                {models
                  .filter((entry) => entry.menu === menu)
                  .map((entry) => (
                    <li>
                      <Choice entry={entry} ready={store.view.value !== null} onChoose={() => (store.requested.value = { model: entry.id, options: {} })} />
                    </li>
                  ))}
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
    <button type="button" disabled={Boolean(why)} title={why ? `Not for this robot: ${why}` : entry.reference} onClick={onChoose}>
      {entry.title}
    </button>
  );
}
