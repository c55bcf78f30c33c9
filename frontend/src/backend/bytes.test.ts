import { expect, it } from "vitest";

import { DownloadError, watchDownloads } from "./bytes";

/** A body of chunks with two bytes each, which breaks off at the end if `broken`. */
function body(chunks: number, broken = false): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      if (chunks-- > 0) controller.enqueue(new Uint8Array(2));
      else if (broken) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
}

it("counts the bytes of all downloads", async () => {
  const scope = { fetch: async () => new Response(body(3)) };
  const reported: number[] = [];
  void watchDownloads((bytes) => reported.push(bytes), scope);
  for (let k = 0; k < 2; k++) expect((await (await scope.fetch()).arrayBuffer()).byteLength).toBe(6);
  expect(reported).toEqual([2, 4, 6, 8, 10, 12]);
});

it.each([
  ["breaks off", async () => new Response(body(1, true)), "network error"],
  ["does not exist", async () => new Response("", { status: 404 }), "the server answered 404"],
  ["has no network", async () => Promise.reject(new TypeError("Failed to fetch")), "Failed to fetch"],
])("reports a download that %s", async (_, answer, reason) => {
  const scope: { fetch: typeof fetch } = { fetch: answer };
  const failure = watchDownloads(() => undefined, scope);
  await scope.fetch("https://site/python/a.zip").then((response) => response.arrayBuffer()).catch(() => undefined);
  await expect(failure).rejects.toThrow(`a.zip cannot be loaded: ${reason}`);
  await expect(failure).rejects.toBeInstanceOf(DownloadError);
});
