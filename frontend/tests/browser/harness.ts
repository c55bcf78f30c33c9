// A real browser with the page, and access to its cells, pixels and downloaded files.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { chromium, type Browser, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  // Software rendering, for the same result on every machine.
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");

interface Axe {
  run: (root: string | Document, options: { runOnly?: readonly string[] }) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests by pytest tests/ui/web/test_browser.py`);
  return value;
}

/** The page of one test file; a test fails if the page has thrown an error. */
export class TestPage {
  private browser!: Browser;
  page!: Page;
  readonly thrown: string[] = [];

  constructor(private readonly address: string) {}

  async start(): Promise<void> {
    this.browser = await chromium.launch({ executablePath: setting("SYMORO_CHROMIUM"), args: FLAGS });
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    context.setDefaultTimeout(60_000);
    this.page = await context.newPage();
    this.page.on("pageerror", (error) => this.thrown.push(error.message));
    await this.page.goto(setting(this.address));
  }

  async stop(): Promise<void> {
    await this.browser?.close();
  }

  /** Wait until the robot with this name is shown. */
  async showing(name: string): Promise<void> {
    await this.page.locator("[data-robot-name]", { hasText: new RegExp(`^${name}$`) }).waitFor();
  }

  async endTour(): Promise<void> {
    await this.page.getByRole("button", { name: "End the tour" }).click();
  }

  /** Run a command of the palette: a model, a robot or an action. */
  async command(query: string, id: string): Promise<void> {
    await this.page.locator('[data-action="palette"]').click();
    await this.page.getByRole("dialog").getByRole("combobox").fill(query);
    await this.page.locator(`[data-command="${id}"]`).click();
  }

  async model(menu: string, id: string): Promise<void> {
    await this.page.locator(`[data-menu="${menu}"]`).click();
    await this.page.locator(`[data-item="${id}"]`).click();
  }

  cell(part: string, j: number | string, field: string): Locator {
    return this.page.locator(`[data-cell="${part} ${j} ${field}"]`);
  }

  async type(cell: Locator, text: string): Promise<void> {
    await cell.click();
    await this.page.keyboard.press("Enter");
    await cell.locator("input").fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** Drop files on the page. */
  async drop(name: string, text: string): Promise<void> {
    await this.page.evaluate(
      ([file, content]) => {
        const carried = new DataTransfer();
        carried.items.add(new File([content!], file!));
        for (const kind of ["dragover", "drop"])
          window.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
      },
      [name, text],
    );
  }

  async downloaded(click: Locator): Promise<{ name: string; text: string; bytes: Buffer }> {
    const [file] = await Promise.all([this.page.waitForEvent("download"), click.click()]);
    const bytes = readFileSync((await file.path())!);
    return { name: file.suggestedFilename(), text: bytes.toString("utf-8"), bytes };
  }

  canvas(): Locator {
    return this.page.locator('[data-pane="scene"] canvas').first();
  }

  /** Wait until the robot is drawn in its posture. */
  async settled(): Promise<void> {
    await this.page.locator('[data-testid="scene"][aria-busy="false"]').waitFor();
  }

  /** Return the scene as an image, once it no longer changes. */
  async picture(): Promise<string> {
    await this.settled();
    let before = "";
    for (let k = 0; k < 40; k++) {
      const now = (await this.canvas().screenshot()).toString("base64");
      if (now === before || (before && (await this.compared(now, before)).differing === 0)) return now;
      before = now;
      await this.page.waitForTimeout(100);
    }
    throw new Error("the scene does not come to rest");
  }

  /**
   * Return the number of pixels that differ, and the number of colours of the first image. A difference of one level
   * of a channel does not count: the browser rounds a half-transparent pixel in either direction.
   */
  async compared(one: string, other: string): Promise<{ differing: number; colours: number }> {
    return this.page.evaluate(
      async (images) => {
        const data = await Promise.all(
          images.map(async (image) => {
            const bytes = Uint8Array.from(atob(image), (letter) => letter.charCodeAt(0));
            const bitmap = await createImageBitmap(new Blob([bytes]));
            const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
            context.drawImage(bitmap, 0, 0);
            return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
          }),
        );
        const [a, b] = data as [Uint8ClampedArray, Uint8ClampedArray];
        let differing = 0;
        for (let i = 0; i < a.length; i += 4)
          if ([0, 1, 2, 3].some((k) => !(Math.abs(a[i + k]! - b[i + k]!) <= 1))) differing++;
        return { differing, colours: new Set(new Uint32Array(a.buffer)).size };
      },
      [one, other],
    );
  }

  /** Return what axe reports on the page or on a part of it: one line per rule, with its first element. */
  async findings(part?: string, rules?: string[]): Promise<string[]> {
    if (!(await this.page.evaluate(() => "axe" in window))) await this.page.evaluate(AXE);
    return this.page.evaluate(
      async ([selector, runOnly]) => {
        const { violations } = await (window as unknown as { axe: Axe }).axe.run(selector ?? document, runOnly ? { runOnly } : {});
        return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 160)}`);
      },
      [part, rules] as const,
    );
  }

  /** Save a screenshot next to the results of the test run. */
  async shot(name: string): Promise<void> {
    const folder = setting("SYMORO_SCREENSHOTS");
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}

/** One page for all tests of a file, in their order. */
export function testPage(address = "SYMORO_ADDRESS"): TestPage {
  const created = new TestPage(address);
  beforeAll(() => created.start());
  afterAll(async () => {
    await created.stop();
    expect(created.thrown).toEqual([]);
  });
  return created;
}

/** Set an input of type range with the events of a user action. */
export async function slide(slider: Locator, value: number): Promise<void> {
  await slider.evaluate((input: HTMLInputElement, wanted) => {
    input.value = String(wanted);
    for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
  }, value);
}
