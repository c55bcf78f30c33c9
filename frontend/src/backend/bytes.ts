// Downloads with their progress in bytes.

/** Replace `fetch` by one that reports the number of bytes received by all downloads so far. */
export function countBytes(report: (bytes: number) => void, scope: { fetch: typeof fetch } = self): void {
  const original = scope.fetch.bind(scope);
  let bytes = 0;
  scope.fetch = async (...request: Parameters<typeof fetch>) => {
    const response = await original(...request);
    if (!response.ok || !response.body) return response;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        report(bytes);
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  };
}
