// Check the documentation site in Chromium: node tests/docs_site.mjs ADDRESS CHROMIUM SCREENSHOTS PAGE...
// tools/check_site.py starts it. Each problem is one line on standard output.

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { chromium } from "playwright-core";

const [address, executablePath, shots, ...pages] = process.argv.slice(2);
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const TABS = 2; // pages that are checked at the same time
const SHOWN = ["index.html", "gallery.html", "models/inverse-dynamics.html", "models/README.html", "api/functions.html",
  "how-to.html", "tutorials/README.html", "try.html", "performance.html", "notebooks/torques.html", "search.html"];
const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 375, height: 800 } };

let problems = 0;
function report(page, text) {
  problems += 1;
  console.log(`${page}: ${text}`);
}

/** Load a page and report script errors and requests to other hosts; `visit` checks what it contains. */
async function load(context, page, visit) {
  const tab = await context.newPage();
  tab.on("pageerror", (error) => report(page, `script error: ${error.message}`));
  tab.on("console", (message) => message.type() === "error" && report(page, `console: ${message.text()}`));
  tab.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob|about):/.test(url)) report(page, `external request: ${url}`);
  });
  tab.on("response", (response) => response.status() >= 400 && report(page, `${response.status()}: ${response.url()}`));
  await tab.goto(address + page, { waitUntil: "load" });
  await visit(tab);
  await tab.close();
}

/** Titles, headings, formulas and the rules of axe-core (WCAG 2 A and AA, contrast included). */
async function checkContents(tab, page) {
  const facts = await tab.evaluate(() => ({
    title: document.title.trim(),
    headings: document.querySelectorAll("h1").length,
    wrongFormulas: [...document.querySelectorAll(".katex-error")].map((element) => element.textContent),
    brokenImages: [...document.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src),
  }));
  if (!facts.title) report(page, "no title");
  if (facts.headings !== 1) report(page, `${facts.headings} h1 headings, expected 1`);
  for (const formula of facts.wrongFormulas) report(page, `formula: ${formula}`);
  for (const image of facts.brokenImages) report(page, `image: ${image}`);
  await checkAxe(tab, page);
}

async function checkAxe(tab, page) {
  await tab.addScriptTag({ path: AXE });
  const violations = await tab.evaluate(async () => {
    const result = await window.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
      iframes: false,
      preload: false,
    });
    return result.violations.map(({ id, nodes }) => ({
      id,
      count: nodes.length,
      first: `${nodes[0].html.slice(0, 120)} ${nodes[0].any[0]?.message ?? ""}`,
    }));
  });
  for (const { id, count, first } of violations) report(page, `${id} (${count}): ${first}`);
}

/** The page must not be wider than a narrow screen. */
async function checkWidth(tab, page) {
  const surplus = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (surplus > 1) report(page, `${surplus} pixels wider than a narrow screen`);
}

/** Skip link, visible focus, and search by the keyboard alone. */
async function checkKeyboard(context) {
  await load(context, "index.html", async (tab) => {
    await tab.keyboard.press("Tab");
    const skip = await tab.evaluate(() => document.activeElement?.getAttribute("href") ?? "");
    if (!skip.startsWith("#")) report("index.html", "the first Tab does not reach a skip link");
    await tab.keyboard.press("Enter");
    for (let stop = 0; stop < 12; stop += 1) {
      await tab.keyboard.press("Tab");
      const focus = await tab.evaluate(() => {
        const element = document.activeElement;
        const style = getComputedStyle(element);
        const marked = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
        return element === document.body || marked ? "" : element.outerHTML.slice(0, 100);
      });
      if (focus) report("index.html", `focus is not visible: ${focus}`);
    }
    await tab.keyboard.press("Control+k");
    await tab.keyboard.type("inverse dynamics");
    await tab.keyboard.press("Enter");
    await tab.waitForURL(/search\.html\?q=/);
    await tab.locator("#search-results li").first().waitFor({ timeout: 30_000 });
    await tab.screenshot({ path: join(shots, "search-results.png") });
  });
}

/** The embedded workbench shows RX90 after its button is pressed. */
async function checkWorkbench(context) {
  await load(context, "try.html", async (tab) => {
    await tab.locator("[data-workbench] button").click();
    const robot = tab.frameLocator("iframe").locator("[data-robot-name]");
    await robot.filter({ hasText: /^RX90$/ }).waitFor({ timeout: 120_000 });
    await tab.screenshot({ path: join(shots, "workbench.png") });
  });
}

async function each(items, work) {
  const queue = [...items];
  await Promise.all(Array.from({ length: TABS }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  }));
}

mkdirSync(shots, { recursive: true });
const browser = await chromium.launch({ executablePath, args: FLAGS });
for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    if (colorScheme === "dark" && size === "narrow") continue;
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
    context.setDefaultTimeout(120_000);
    await each(pages, (page) => load(context, page, async (tab) => {
      if (size === "narrow") await checkWidth(tab, page);
      else await checkContents(tab, `${page} (${colorScheme})`);
    }));
    for (const page of SHOWN.filter((shown) => pages.includes(shown))) {
      const name = `${page.replaceAll("/", "-").replace(".html", "")}-${colorScheme}-${size}.png`;
      await load(context, page, (tab) => tab.screenshot({ path: join(shots, name) }));
    }
    await context.close();
  }
}
const context = await browser.newContext({ viewport: SIZES.wide });
context.setDefaultTimeout(120_000);
await checkKeyboard(context);
if (process.env.SYMORO_WORKBENCH) await checkWorkbench(context);
await browser.close();
console.log(`${pages.length} pages, ${problems} problems`);
process.exitCode = problems ? 1 : 0;
