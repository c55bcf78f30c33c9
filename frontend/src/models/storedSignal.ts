// Settings that are stored between sessions, such as the language of the code.

import { effect, signal, type Signal } from "@preact/signals";

import { put, storageOr } from "../store/storage";

export function storedSignal(name: string, first: string): Signal<string> {
  const key = `symoro.models.${name}`;
  const storage = storageOr(() => localStorage);
  const value = signal(storage.getItem(key) ?? first);
  effect(() => {
    put(storage, key, value.value); // a page without storage forgets the choice, no more
  });
  return value;
}
