// Time the first and a later visit to the static site: node tests/time_site.mjs ADDRESS CHROMIUM
// Two lines of JSON: seconds from the address to the drawn robot, and to a model that Python derives in the page
// (the Jacobian matrix, which is not prepared); and the bytes that the server sent before, also compressed by gzip.
// tools/try_site.py --times starts it.

import { gzipSync } from "node:zlib";

import { chromium } from "playwright-core";

const [address, executablePath] = process.argv.slice(2);
const FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const COMPRESSED = /\.(woff2|zip)$/; // these gain nothing from a server's compression

const browser = await chromium.launch({ executablePath, args: FLAGS });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
context.setDefaultTimeout(120_000);
await context.addInitScript(() => localStorage.setItem("symoro-tour", "ended"));

async function visit(name) {
  const page = await context.newPage();
  // One response per file: the service worker and the second worker request files again, which the browser has cached.
  const received = new Map();
  // Requests of workers and of the service worker belong to the context.
  const note = (request) => void request.response().then((response) => response && !response.fromServiceWorker() && received.set(response.url(), response));
  context.on("requestfinished", note);
  const begin = Date.now();
  const seconds = () => Math.round((Date.now() - begin) / 10) / 100;
  await page.goto(address);
  await page.locator('[data-testid="scene"][aria-busy="false"] canvas[data-solids]').waitFor();
  const drawn = seconds();
  await page.locator('[data-menu="Kinematic"]').click();
  await page.locator('[data-item="jacobian"]').click();
  await page.locator('[data-pane="models"] .katex').first().waitFor();
  const derived = seconds();
  context.off("requestfinished", note);
  let [bytes, compressed] = [0, 0];
  for (const response of received.values()) {
    const body = await response.body().catch(() => Buffer.alloc(0));
    bytes += body.length;
    compressed += COMPRESSED.test(response.url()) ? body.length : gzipSync(body).length;
  }
  console.log(JSON.stringify({ visit: name, drawn, derived, files: received.size, bytes, compressed }));
  // The service worker has stored the files when it is active.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.waitForTimeout(1000);
  await page.close();
}

await visit("first");
await visit("later");
await browser.close();
