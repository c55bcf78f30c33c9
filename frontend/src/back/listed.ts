// What symoro lists: itself, its bundled robots, its models.

export interface About {
  version: string;
  python: string;
  menus: string[];
  languages: { id: string; title: string }[];
  formats: Format[];
  structures: string[];
  bases: string[];
  conventions: string[];
}

/** A format of files: whether they can be opened here, and written. */
export interface Format {
  id: string;
  suffixes: string[];
  opened: boolean;
  written: boolean;
}

export interface Bundled {
  id: string;
  name: string;
  title: string;
  structure: string;
  family: string;
  reference: string;
  /** A small picture, where the server draws one. */
  svg?: string | null;
}

export interface Entry {
  id: string;
  menu: string;
  title: string;
  aliases: string[];
  applies_to: string;
  /** Why it does not apply to the robot; null when it does. */
  why_not?: string | null;
}
