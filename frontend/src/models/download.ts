// Files from the page to the disk.

export function save(name: string, content: string | Blob): void {
  const blob = typeof content === "string" ? new Blob([content], { type: "text/plain;charset=utf-8" }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.split("/").at(-1)!;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Files in a folder of an archive. */
export async function zipped(folder: string, files: Record<string, string>): Promise<Blob> {
  const { strToU8, zipSync } = await import("fflate");
  const entries = Object.entries(files).map(([path, text]) => [`${folder}/${path}`, strToU8(text)] as const);
  const bytes = zipSync(Object.fromEntries(entries));
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/zip" });
}
