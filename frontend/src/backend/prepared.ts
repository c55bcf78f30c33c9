// Answers about bundled robots that the site contains as files, so that the page is usable while Python loads.
//
//   prepared-HASH/lists.json   {"about {}": ..., "robots {}": ...}
//   prepared-HASH/ID.json      {"robot_open {\"id\":\"ID\"}": ..., "frames {\"loops\":true}": ...}
//
// An answer is stored under the name of the call and its arguments without the robot (tools/site_folder.py).

import type { CallOptions, Backend } from "./backend";
import { meta } from "./worker";

type Answers = Record<string, unknown>;

export function withPrepared(backend: Backend, load: (file: string) => Promise<Answers> = fetchAnswers): Backend {
  const lists = load("lists").catch(() => ({}) as Answers);
  /** Answers by the text of the robot's document. */
  const known = new Map<string, Answers>();

  async function prepared(name: string, payload: { robot?: unknown; id?: string }): Promise<unknown> {
    const { robot, ...others } = payload;
    const key = `${name} ${JSON.stringify(others)}`;
    if (robot !== undefined) return known.size ? known.get(JSON.stringify(robot))?.[key] : undefined;
    if (name !== "robot_open" || payload.id === undefined) return (await lists)[key];
    const answers = await load(payload.id).catch(() => ({}) as Answers);
    const view = answers[key] as { robot?: unknown } | undefined;
    if (view) known.set(JSON.stringify(view.robot), answers);
    return view;
  }

  return {
    async call<T>(name: string, payload: object = {}, options: CallOptions = {}): Promise<T> {
      const answer = await prepared(name, payload);
      if (options.signal?.aborted) throw new DOMException("the request was cancelled", "AbortError");
      return answer === undefined ? backend.call<T>(name, payload, options) : (structuredClone(answer) as T);
    },
  };
}

async function fetchAnswers(file: string): Promise<Answers> {
  const response = await fetch(new URL(`${meta("symoro-prepared")}${encodeURIComponent(file)}.json`, document.baseURI));
  return response.ok ? ((await response.json()) as Answers) : {};
}
