// Mesh files, stored per tab in the browser's database because they exceed the size of its local storage.

import { effect } from "@preact/signals";

import type { Store } from "./store";

const DATABASE = "symoro";
const TABLE = "meshes";
const MOST_TABS = 5;

interface Entry {
  at: number;
  files: File[];
}

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser provides no database"));
  });
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's database does not answer"));
  });
}

async function write(database: IDBDatabase, tab: string, files: File[]): Promise<void> {
  const table = database.transaction(TABLE, "readwrite").objectStore(TABLE);
  if (files.length) table.put({ at: Date.now(), files } satisfies Entry, tab);
  else table.delete(tab);
  const [keys, entries] = await Promise.all([
    answer(table.getAllKeys()),
    answer(table.getAll() as IDBRequest<Entry[]>),
  ]);
  const old = keys.map((key, i) => ({ key, at: entries[i]?.at ?? 0 })).sort((a, b) => b.at - a.at);
  for (const { key } of old.slice(MOST_TABS)) table.delete(key);
}

/** Restore the meshes of the tab's robot and store new ones. Without a database they are lost at a reload. */
export async function persistMeshes(store: Store, tab: string): Promise<void> {
  try {
    const database = await opened();
    const entry = await answer(
      database.transaction(TABLE).objectStore(TABLE).get(tab) as IDBRequest<Entry | undefined>,
    );
    if (entry && !store.meshes.value.size) store.meshes.value = new Map(entry.files.map((file) => [file.name, file]));
    effect(() => {
      const files = [...store.meshes.value.values()];
      void write(database, tab, files).catch(() => undefined);
    });
  } catch {
    // A browser without a database, or one that refuses it: the page works without.
  }
}
