// Keyboard shortcuts in the notation "Ctrl+Shift+Z", common to the whole page.

import type { Store } from "../store/store";

/** Return the keys of an event in the notation of shortcuts; the command key of macOS counts as Ctrl. */
export function keysOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const parts: string[] = [];
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey) parts.push("Shift");
  parts.push(event.key.length === 1 ? event.key.toUpperCase() : event.key);
  return parts.join("+");
}

/** In text fields, undo and redo apply to the text. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["range", "checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target.isContentEditable;
}

const OF_TEXT: ReadonlySet<string> = new Set(["Ctrl+Z", "Ctrl+Y", "Ctrl+Shift+Z"]);

export function listenForKeys(store: Store, target: EventTarget): () => void {
  const onKey = (event: Event): void => {
    const pressed = event as KeyboardEvent;
    const keys = keysOf(pressed);
    if (!/^(Ctrl|Alt|(Shift\+)?F\d)/.test(keys)) return;
    if (isWriting(pressed.target) && OF_TEXT.has(keys)) return;
    const action = store.actions.value.find((one) => one.keys?.split(", ").includes(keys));
    if (!action) return;
    pressed.preventDefault();
    if (action.enabled?.() ?? true) void action.run();
  };
  target.addEventListener("keydown", onKey);
  return () => target.removeEventListener("keydown", onKey);
}
