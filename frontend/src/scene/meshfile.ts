/** Return the dropped file for a mesh path of a robot (package://robot/meshes/link.stl): the longest common ending. */
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
