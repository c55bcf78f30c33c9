// Answers about bundled robots that the site contains as files, so that the page is usable while Python loads.
//
//   prepared-HASH/lists.json   {"about {}": ..., "robots {}": ...}
//   prepared-HASH/ID.json      {"robot_open {\"id\":\"ID\"}": ..., "frames {\"loops\":true}": ...}
//
// An answer is stored under the name of the call and its arguments without the robot (tools/site_folder.py). A robot has
// prepared answers if its document equals that of the bundled robot of the same name: when it was opened, and when a
// session or a link contains it. Python answers for edited robots.

import type { CallOptions, Backend } from "./backend";
import type { RobotDocument, RobotsData, View } from "./messages";
import { meta } from "./worker";

type Answers = Record<string, unknown>;

export function withPrepared(backend: Backend, load: (file: string) => Promise<Answers> = fetchAnswers): Backend {
  const files = new Map<string, Promise<Answers>>();
  const lists = loaded("lists");

  /** Return the answers of a file, which is loaded once; no answers if it cannot be loaded. */
  function loaded(file: string): Promise<Answers> {
    const before = files.get(file);
    if (before) return before;
    const answers = load(file).catch(() => {
      files.delete(file);
      return {};
    });
    files.set(file, answers);
    return answers;
  }

  /** Return the answers about the robot with this document; none if it is not a bundled robot. */
  async function answersAbout(robot: RobotDocument): Promise<Answers> {
    const gallery = (await lists)[keyOf("robots", {})] as RobotsData | undefined;
    const id = gallery?.robots.find(({ name }) => name === robot["name"])?.id;
    if (id === undefined) return {};
    const answers = await loaded(id);
    const opened = answers[keyOf("robot_open", { id })] as View | undefined;
    if (JSON.stringify(opened?.robot) !== JSON.stringify(robot)) return {};
    // Only robot_open returns visuals; the other properties of the view follow from the document.
    const { visuals: _, ...view } = opened!;
    return { ...answers, [keyOf("robot_view", {})]: view };
  }

  async function prepared(name: string, payload: { robot?: RobotDocument; id?: string }): Promise<unknown> {
    const { robot, ...others } = payload;
    const opening = name === "robot_open" && payload.id !== undefined;
    const answers = await (robot ? answersAbout(robot) : opening ? loaded(payload.id!) : lists);
    return answers[keyOf(name, others)];
  }

  return {
    async call<T>(name: string, payload: object = {}, options: CallOptions = {}): Promise<T> {
      const answer = await prepared(name, payload);
      if (options.signal?.aborted) throw new DOMException("the request was cancelled", "AbortError");
      return answer === undefined ? backend.call<T>(name, payload, options) : (structuredClone(answer) as T);
    },
  };
}

function keyOf(name: string, others: object): string {
  return `${name} ${JSON.stringify(others)}`;
}

async function fetchAnswers(file: string): Promise<Answers> {
  const response = await fetch(new URL(`${meta("symoro-prepared")}${encodeURIComponent(file)}.json`, document.baseURI));
  return response.ok ? ((await response.json()) as Answers) : {};
}
