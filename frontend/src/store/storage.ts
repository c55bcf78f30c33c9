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
