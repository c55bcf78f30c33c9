// Time the first and a later visit to the static site: node tests/time_site.mjs ADDRESS CHROMIUM
// Two lines of JSON: seconds from the address to the drawn robot, and to a model that Python derives in the page
// (the Jacobian matrix, which is not prepared); and the bytes of the files that the server sent before, also compressed
// by gzip. tools/try_site.py --times starts it.

import { gzipSync } from "node:zlib";

import { chromium } from "playwright-core";

const [address, executablePath] = process.argv.slice(2);
const base = new URL(".", address).href;
const FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const COMPRESSED = /\.(woff2|zip)$/; // these gain nothing from a server's compression

const browser = await chromium.launch({ executablePath, args: FLAGS });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
context.setDefaultTimeout(120_000);

async function visit(name) {
  const page = await context.newPage();
  // Each file counts once: the service worker and the second worker request files again. Blobs of the page do not count.
  const received = new Set();
  // Requests of workers and of the service worker belong to the context.
  const note = (request) =>
    void request.response().then((response) => {
      if (response && !response.fromServiceWorker() && response.url().startsWith(base)) received.add(response.url());
    });
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
  for (const url of received) {
    const body = Buffer.from(await (await fetch(url)).arrayBuffer()); // the browser discards bodies of workers
    bytes += body.length;
    compressed += COMPRESSED.test(url) ? body.length : gzipSync(body).length;
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
