// Settings that are stored between sessions, such as the language of the code.

import { effect, signal, type Signal } from "@preact/signals";

export function storedSignal(name: string, first: string): Signal<string> {
  const key = `symoro.models.${name}`;
  const value = signal(stored(key) ?? first);
  effect(() => {
    const text = value.value;
    try {
      localStorage.setItem(key, text);
    } catch {
      // A page without storage forgets the choice, no more.
    }
  });
  return value;
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
