// Downloads of files. Their names come from the service, which removes folders and control characters.

export function save(name: string, content: string | Blob): void {
  const blob = typeof content === "string" ? new Blob([content], { type: "text/plain;charset=utf-8" }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.split("/").at(-1)!;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Return an archive with the files in one folder; throw if an entry would be unpacked outside of it. */
export async function zipped(folder: string, files: Record<string, string>, binaries: Record<string, string> = {}): Promise<Blob> {
  const { strToU8, zipSync } = await import("fflate");
  const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const entries = [
    ...Object.entries(files).map(([path, text]) => [`${folder}/${path}`, strToU8(text)] as const),
    ...Object.entries(binaries).map(([path, base64]) => [`${folder}/${path}`, bytesOf(base64)] as const),
  ];
  const outside = entries.find(([path]) => !staysInside(path));
  if (outside) throw new Error(`the archive cannot be created: '${outside[0]}' is not a path inside it`);
  const bytes = zipSync(Object.fromEntries(entries));
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/zip" });
}

/** Whether a path stays inside its folder under the rules of any operating system. */
const staysInside = (path: string): boolean =>
  !/[\\:]/.test(path) && path.split("/").every((part) => !["", ".", ".."].includes(part));
