// Links that contain robot, posture, parameters and model, compressed in the fragment of the address. Browsers do not
// send the fragment to a server, so that nothing is uploaded.
//
// The format is JSON, compressed by zlib and written in base64url (RFC 4648, section 5). The checksum of zlib detects a
// link that was changed or cut.

import { batch } from "@preact/signals";

import { Failure } from "../backend/backend";
import type { RobotDocument, View } from "../backend/messages";
import type { ModelChoice, Store } from "./store";

const PREFIX = "#robot=";
/** Version of the format; increased when the format changes. */
const FORM = 1;
/** Largest size of a decompressed link in bytes, equal to the server's limit of a request. */
const LARGEST = 16 * 2 ** 20;
const HINT = "copy the complete link again, or ask its sender for the robot's file";
const NEWER = "open it in the version of symoro that created it, or in a newer one, or ask its sender for the robot's file";

export interface SharedState {
  robot: RobotDocument;
  q: number[];
  base: number[];
  /** Values of symbols that differ from those of the robot. */
  values: Record<string, number>;
  asked: ModelChoice | null;
}

/** Return a link to the state of the store; null without a robot. The query is left out, as it may contain a token. */
export async function linkOf(store: Store, { origin, pathname }: Pick<Location, "origin" | "pathname">): Promise<string | null> {
  const view = store.view.value;
  if (!view) return null;
  const changed = Object.entries(store.parameters.value).filter(([name, value]) => view.values[name] !== value);
  const state: SharedState = {
    robot: view.robot,
    q: store.q.value,
    base: store.base.value,
    values: Object.fromEntries(changed),
    asked: store.requested.value,
  };
  return `${origin === "null" ? "file://" : origin}${pathname}${PREFIX}${await packed(JSON.stringify({ form: FORM, ...state }))}`;
}

/**
 * Return the state that the fragment of an address contains; null if it contains none.
 *
 * Throws a Failure if the link is damaged.
 */
export async function sharedState(hash: string): Promise<SharedState | null> {
  if (!hash.startsWith(PREFIX)) return null;
  let content: (Partial<SharedState> & { form?: number }) | null;
  try {
    // Programs may add the punctuation of a sentence to a link.
    content = JSON.parse(await unpacked(/^[\w-]*/.exec(hash.slice(PREFIX.length))![0])) as typeof content;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw damaged("it is incomplete or was changed");
  }
  if (typeof content !== "object" || content === null) throw damaged("it does not contain a robot");
  const { form } = content;
  if (form === undefined) throw damaged("it does not contain a robot");
  if (form !== FORM) throw damaged(`its format is ${form}, this page reads format ${FORM}`, form! > FORM ? NEWER : HINT);
  const { robot, q, base, values, asked } = content;
  if (!isRecord(robot)) throw damaged("it does not contain a robot");
  if (!areNumbers(q) || !areNumbers(base) || base.length !== 6 || !isRecord(values) || !areNumbers(Object.values(values)))
    throw damaged("its posture is not a list of numbers");
  if (asked !== null && !(typeof asked?.model === "string" && isRecord(asked.options))) throw damaged("its model has no name");
  return { robot, q, base, values, asked };
}

/** Return the view of the robot of a link; throw a Failure if the posture of the link does not fit it. */
export async function sharedView({ backend }: Store, { robot, q }: SharedState): Promise<View> {
  const view = await backend.call<View>("robot_view", { robot });
  if (q.length !== view.joints.length) throw damaged(`its posture has ${q.length} positions, its robot has ${view.joints.length} joints`);
  return view;
}

/** Show the robot of a link in its posture, with its model; undo returns to the previous robot. */
export function showShared(store: Store, shared: SharedState, view: View): void {
  batch(() => {
    store.show(view);
    store.q.value = shared.q;
    store.base.value = shared.base;
    const known = Object.entries(shared.values).filter(([name]) => view.symbols.includes(name));
    store.parameters.value = { ...view.values, ...Object.fromEntries(known) };
    store.requested.value = shared.asked;
  });
}

function damaged(reason: string, hint = HINT): Failure {
  return new Failure({ kind: "LinkError", message: `the link cannot be read: ${reason}`, hint });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function areNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((one) => Number.isFinite(one));
}

async function packed(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpacked(text: string): Promise<string> {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate")));
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  // Errors of the input appear at the reader too.
  void writer.write(bytes).catch(() => undefined);
  void writer.close().catch(() => undefined);
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = stream.readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LARGEST) {
      void reader.cancel().catch(() => undefined);
      throw damaged(`it has more than ${LARGEST / 2 ** 20} MB`);
    }
    pieces.push(value);
  }
  const joined = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
