// Colours of the scene; those of the solids are the same as in the pictures of src/symoro/ui/render/body.py.

export interface Palette {
  link: string;
  active: string;
  passive: string;
  cut: string;
  base: string;
  plate: string;
  wheel: string;
  /** Selection and ghosts: the accent colour of the page. */
  accent: string;
  faint: string;
  /** Colour of the z arrows; pure blue has too little contrast on a dark background. */
  z: string;
  trace: string;
  /** Joints and links of a singular configuration. */
  warning: string;
}

export const LIGHT: Palette = {
  link: "#9aa5b3",
  active: "#e08e2b",
  passive: "#f3cf9c",
  cut: "#f7e4c8",
  base: "#667180",
  plate: "#8fb3e8",
  wheel: "#4b535e",
  accent: "#2563c9",
  faint: "#c3c8ce",
  z: "#0000ff",
  trace: "#a3369c",
  warning: "#e0115f",
};

export const DARK: Palette = {
  link: "#8d97a4",
  active: "#e0973a",
  passive: "#8a6a40",
  cut: "#5d4c36",
  base: "#b3bcc8",
  plate: "#3f5f8f",
  wheel: "#c9d0d9",
  accent: "#5b9bff",
  faint: "#4c535c",
  z: "#6d83ff",
  trace: "#d98ad3",
  warning: "#ff3b7f",
};
