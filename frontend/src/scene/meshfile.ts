/** A dropped file by the path that a robot names, as in package://robot/meshes/link.stl: the longest common end. */
export function fileOf(path: string, files: ReadonlyMap<string, File>): File | null {
  const parts = path.toLowerCase().replace(/^[a-z]+:\/\//, "").split(/[/\\]/).filter(Boolean);
  for (let k = 0; k < parts.length; k++) {
    const end = parts.slice(k).join("/");
    for (const [name, file] of files) {
      const known = name.toLowerCase();
      if (known === end || known.endsWith(`/${end}`)) return file;
    }
  }
  return null;
}
