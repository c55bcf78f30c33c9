// @vitest-environment jsdom
import { render } from "preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { CELLS, sampleBackend, sampleView } from "../store/sample";
import { createStore, type Store } from "../store/store";
import { Tables } from "./tables";

let page: HTMLElement;
let store: Store;

function cell(key: string): HTMLElement {
  return page.querySelector<HTMLElement>(`[data-cell="${key}"]`)!;
}

/** A key goes where the focus is, and writes there as a browser would. */
async function press(...keys: string[]): Promise<void> {
  for (const key of keys) {
    const target = document.activeElement as HTMLElement;
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    if (!event.defaultPrevented && target instanceof HTMLInputElement && key.length === 1) {
      target.value += key;
      target.dispatchEvent(new Event("input", { bubbles: true }));
    }
    await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

async function choose(key: string): Promise<void> {
  cell(key).dispatchEvent(new MouseEvent("pointerdown", { bubbles: true }));
  await new Promise((resolve) => setTimeout(resolve, 0));
}

beforeEach(() => {
  Element.prototype.scrollIntoView = () => undefined;
  page = document.body.appendChild(document.createElement("div"));
  store = createStore(sampleBackend());
  store.show(sampleView(CELLS));
  render(<Tables store={store} />, page);
});

afterEach(() => {
  render(null, page);
  page.remove();
});

describe("a table", () => {
  it("accepts text typed into a cell and moves down on Enter", async () => {
    await choose("frame 1 d");
    await press("L", "1", "Enter");
    await vi.waitFor(() => expect(cell("frame 1 d").textContent).toBe("L1"));
    expect(document.activeElement).toBe(cell("frame 2 d"));
    expect(store.selected.value).toBe(2);
  });

  it("leaves a cell unchanged on Escape", async () => {
    await choose("frame 1 d");
    await press("9", "Escape");
    expect(cell("frame 1 d").textContent).toBe("0");
    expect(document.activeElement).toBe(cell("frame 1 d"));
  });

  it("keeps a rejected text, shows the reason, and accepts a correction", async () => {
    await choose("frame 2 d");
    await press("2", "*", "Enter");
    await vi.waitFor(() => expect(cell("frame 2 d").getAttribute("aria-invalid")).toBe("true"));
    expect(cell("frame 2 d").textContent).toContain("2*");
    expect(page.textContent).toContain("ends too early");
    expect(store.canUndo.value).toBe(false);
    await choose("frame 2 d");
    await press("2", "Enter");
    await vi.waitFor(() => expect(cell("frame 2 d").getAttribute("aria-invalid")).toBeNull());
    expect(page.textContent).not.toContain("ends too early");
  });

  it("highlights the row of the selected frame, and selects with the cursor", async () => {
    store.selected.value = 2;
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(page.querySelector(".tb-selected th")!.textContent).toBe("2");
    await choose("frame 1 alpha");
    expect(store.selected.value).toBe(1);
  });

  it("cycles through the choices with the space bar", async () => {
    await choose("frame 1 sigma");
    await press(" ");
    await vi.waitFor(() => expect(cell("frame 1 sigma").textContent).toBe("P"));
  });

  it("pastes a block", async () => {
    await choose("frame 1 alpha");
    const event = new Event("paste", { bubbles: true, cancelable: true });
    Object.assign(event, { clipboardData: { getData: () => "1\t2\n3\t4" } });
    document.activeElement!.dispatchEvent(event);
    await vi.waitFor(() => expect(cell("frame 2 d").textContent).toBe("4"));
    expect(cell("frame 1 alpha").textContent).toBe("1");
    await store.undo();
    expect(store.canUndo.value).toBe(false);
  });
});
