// The static site on a server with a strict content security policy: no request leaves it, an interrupted download is
// repeated, a later visit needs neither a network nor storage, and a new build replaces the old one as a whole.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { testPage } from "./harness";

// That of symoro gui (src/symoro/ui/web/guard.py), and WebAssembly.
const POLICY =
  "default-src 'self'; script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; connect-src 'self' blob:; " +
  "object-src 'none'; base-uri 'none'; form-action 'none'";
const ARCHIVE = /symoro-\w+\.zip/;

let server: Server;
let down = false;
/** Whether the next download of the interpreter breaks off. */
let interrupted = true;
/** Name of the archive of symoro in the second build; empty for the first build. */
let second = "";

/** Return a file of the site; in the second build, the archive of symoro and all references to it have another name. */
async function fileOf(path: string): Promise<{ status: number; type: string; body: Buffer }> {
  if (second && ARCHIVE.test(path) && !path.includes(second)) return { status: 404, type: "text/plain", body: Buffer.from("") };
  const start = await (await fetch(process.env["SYMORO_SITE"]!)).text();
  const response = await fetch(new URL(path.replace(second || " ", ARCHIVE.exec(start)![0]), process.env["SYMORO_SITE"]));
  let body = Buffer.from(await response.arrayBuffer());
  if (second && /(^|\.html|service-worker\.js)$/.test(path))
    body = Buffer.from(body.toString().replace(new RegExp(ARCHIVE, "g"), second).replace(/(const CACHE = `\$\{SITE\})\w+/, "$1second"));
  return { status: response.status, type: response.headers.get("content-type") ?? "", body };
}

beforeAll(async () => {
  server = createServer((request, response) => {
    if (down) return void request.socket.destroy();
    const path = new URL(request.url!, "http://site").pathname.slice(1);
    void fileOf(path).then(({ status, type, body }) => {
      response.writeHead(status, { "content-type": type, "content-security-policy": POLICY, "cache-control": "no-cache" });
      if (!interrupted || !path.endsWith(".wasm")) return void response.end(body);
      interrupted = false;
      response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
    });
  }).listen(0, "127.0.0.1");
  await new Promise((ready) => server.once("listening", ready));
  process.env["SYMORO_STRICT_SITE"] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

const it = testPage("SYMORO_STRICT_SITE");

afterAll(() => void server.close());

/** Addresses of all requests of pages and workers. */
const requested: string[] = [];
const refused: string[] = [];

async function visit(): Promise<Page> {
  const page = await it.page.context().newPage();
  page.on("console", (message) => /Content Security Policy/.test(message.text()) && refused.push(message.text()));
  await page.goto(process.env["SYMORO_STRICT_SITE"]!);
  return page;
}

/** Derive a model in Python and wait for its equations. */
async function derive(page: Page): Promise<void> {
  await page.locator('[data-testid="scene"][aria-busy="false"] canvas[data-solids]').waitFor();
  await page.locator('[data-menu="Kinematic"]').click();
  await page.locator('[data-item="jacobian"]').click();
  await page.locator('[data-pane="models"] .katex').first().waitFor();
}

/** Wait until the service worker of a build controls the site, and has stored its files. */
async function stored(page: Page, name: string): Promise<void> {
  const isStored = async (part: string): Promise<boolean> => {
    const registration = await navigator.serviceWorker.getRegistration();
    const ready = registration?.active?.state === "activated" && !registration.installing && !registration.waiting;
    return ready && (await caches.keys()).some((cache) => cache.includes(part));
  };
  await expect.poll(() => page.evaluate(isStored, name), { timeout: 40_000 }).toBe(true);
  // A busy browser uses the service worker only for navigations that begin later.
  const later = await page.context().newPage();
  await expect
    .poll(
      async () => {
        await later.goto(new URL("favicon.svg", page.url()).href);
        return later.evaluate(async () => {
          const { controller } = navigator.serviceWorker;
          return controller !== null && (await navigator.serviceWorker.getRegistration())?.active === controller;
        });
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  await later.close();
}

const archives = (): string[] => [...new Set(requested.flatMap((address) => ARCHIVE.exec(address)?.[0] ?? []))];

test("the site works with a strict content security policy and after an interrupted download, and requests nothing elsewhere", async () => {
  await it.endTour();
  await it.page.goto("about:blank");
  it.page.context().on("request", (request) => requested.push(request.url()));
  const page = await visit();
  await derive(page);
  expect(interrupted).toBe(false);
  await stored(page, "symoro");
  const own = process.env["SYMORO_STRICT_SITE"]!;
  expect(requested.filter((address) => !address.startsWith(own) && !/^(blob|data):/.test(address))).toEqual([]);
  expect(refused).toEqual([]);
  expect(archives()).toHaveLength(1);
  await page.close();
});

test("a later visit needs no network", async () => {
  down = true;
  const page = await visit();
  await derive(page);
  for (const file of ["favicon.svg", "thumbnails/delta.svg"]) {
    expect(await page.evaluate(async (name) => (await fetch(name)).ok, file)).toBe(true);
  }
  // SymPy has not been used before.
  await page.locator('[data-menu="Identification"]').click();
  await page.locator('[data-item="base-parameters"]').click();
  await page.locator('[data-pane="models"]').getByText("needs the package sympy, which cannot be loaded").waitFor();
  await page.close();
});

test("a visit does not need storage, although a service worker is active", async () => {
  down = false;
  const page = await visit();
  await page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) await cache.delete(request);
    }
  });
  const { origin } = new URL(process.env["SYMORO_STRICT_SITE"]!);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1000 });
  requested.length = 0;
  const later = await visit();
  await derive(later);
  expect(archives()).toHaveLength(1);
  await devtools.send("Storage.overrideQuotaForOrigin", { origin });
  await later.close();
  await page.close();
});

test("a new build replaces the old one as a whole", async () => {
  [down, second] = [false, "symoro-second.zip"];
  requested.length = 0;
  const page = await visit();
  await derive(page);
  expect(archives()).toEqual([second]);
  await stored(page, "second");
  await page.close();
  // Without a network, the page is the new one as well.
  down = true;
  requested.length = 0;
  const later = await visit();
  await derive(later);
  expect(archives()).toEqual([second]);
  expect(refused).toEqual([]);
});
