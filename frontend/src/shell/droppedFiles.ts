// Dropped files, including those in folders: a URDF has its meshes in folders of a package.

const MOST = 2000;

async function inside(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    // A directory reader returns a part of the entries per call, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length || entries.length > MOST) return entries;
    entries.push(...some);
  }
}

async function filesIn(entries: FileSystemEntry[]): Promise<File[]> {
  const files: File[] = [];
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry && files.length < MOST; entry = waiting.shift()) {
    if (entry.isDirectory) waiting.push(...(await inside(entry as FileSystemDirectoryEntry)));
    else files.push(await new Promise((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
  }
  return files;
}

/** Return all dropped files; call it inside the drop event, because the data are not available afterwards. */
export function dropped(data: DataTransfer): Promise<File[]> {
  const plain = [...data.files];
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.() ?? null).filter((entry) => entry !== null);
  return entries.some((entry) => entry.isDirectory) ? filesIn(entries) : Promise.resolve(plain);
}
