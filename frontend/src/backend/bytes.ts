// Downloads with their progress in bytes.

/** A download that did not arrive as a whole. */
export class DownloadError extends Error {
  constructor(address: string, reason: unknown) {
    super(`${address.split("/").at(-1)} cannot be loaded: ${reason instanceof Error ? reason.message : String(reason)}`);
  }
}

/**
 * Replace `fetch` by one that reports the number of bytes received by all downloads so far. Bytes are counted after
 * decompression, so that the sum does not depend on the server.
 *
 * @returns a promise that is rejected with a DownloadError when the first download fails, and is never fulfilled.
 */
export function watchDownloads(report: (bytes: number) => void, scope: { fetch: typeof fetch } = self): Promise<never> {
  const original = scope.fetch.bind(scope);
  let bytes = 0;
  let fail: (error: DownloadError) => void;
  const failure = new Promise<never>((_, reject) => (fail = reject));
  failure.catch(() => undefined); // downloads after those that somebody awaits
  scope.fetch = async (...request: Parameters<typeof fetch>) => {
    const address = String(request[0] instanceof Request ? request[0].url : request[0]);
    const failed = (reason: unknown): void => fail(new DownloadError(address, reason));
    const response = await original(...request).catch((error: unknown) => {
      failed(error);
      throw error;
    });
    if (!response.ok) failed(`the server answered ${response.status}`);
    if (!response.ok || !response.body) return response;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        report(bytes);
        controller.enqueue(chunk);
      },
    });
    response.body.pipeTo(counter.writable).catch(failed);
    const { status, statusText, headers } = response;
    return new Response(counter.readable, { status, statusText, headers });
  };
  return failure;
}
