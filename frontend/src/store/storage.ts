// The browser's storage, or a temporary one if the browser provides none.

export function storageOr(wanted: () => Storage): Storage {
  try {
    const storage = wanted();
    storage.getItem("");
    return storage;
  } catch {
    return inMemory();
  }
}

/** Write an entry; return false if the storage is full or permits no entries. */
export function put(storage: Pick<Storage, "setItem">, key: string, text: string): boolean {
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

export function inMemory(): Storage {
  const held = new Map<string, string>();
  return {
    get length() {
      return held.size;
    },
    key: (i) => [...held.keys()][i] ?? null,
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => void held.set(key, value),
    removeItem: (key) => void held.delete(key),
    clear: () => held.clear(),
  };
}
