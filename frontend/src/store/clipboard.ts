// Copies of texts to the clipboard.

/** Copy through a selection: browsers provide no clipboard to pages of a remote plain-http address. */
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
