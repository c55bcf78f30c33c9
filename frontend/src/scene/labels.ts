// Labels of frames over the picture, drawn as text of the page so that they stay sharp at every distance.

export type LabelStyle = "none" | "number" | "name" | "axes";

export interface Label {
  text: string;
  /** Pixels of the picture. */
  x: number;
  y: number;
  selected: boolean;
  /** Colour of the posture that a label belongs to; the robot's own labels have none. */
  colour?: string;
}

/** Merge labels whose anchors coincide, so that none hides another. */
export function merged(labels: Label[], near = 14): Label[] {
  const groups: Label[] = [];
  for (const label of labels) {
    const same = groups.find((one) => !one.colour === !label.colour && Math.abs(one.x - label.x) < near && Math.abs(one.y - label.y) < near);
    if (!same) groups.push({ ...label });
    else {
      const names = same.text.split(", ");
      if (!names.includes(label.text)) same.text = shortened([...names, label.text]);
      same.selected ||= label.selected;
    }
  }
  return groups;
}

const [LETTER, LINE] = [6.8, 15];

/** Move labels down, or up at the lower side, by one or two lines so that they do not overlap; those without space are left out. */
export function separated(labels: Label[], height = Infinity): Label[] {
  const placed: Label[] = [];
  const covers = (a: Label, b: Label) =>
    Math.abs(a.y - b.y) < LINE && a.x < b.x + LETTER * b.text.length + 6 && b.x < a.x + LETTER * a.text.length + 6;
  for (const label of labels) {
    const put = { ...label };
    const covered = () => placed.some((one) => covers(one, put));
    const step = label.y + 3 * LINE > height ? -LINE : LINE;
    for (let k = 0; k < 2 && covered(); k++) put.y += step;
    if (label.selected || !covered()) placed.push(put);
  }
  return placed;
}

/** Shift labels that would exceed the right or the lower side of the picture. */
export function inside(labels: Label[], width: number, height = Infinity): Label[] {
  const shifted = (at: number, most: number, side: number): number => (at > most && at < side ? Math.max(0, most) : at);
  return labels.map((label) => ({
    ...label,
    x: shifted(label.x, width - LETTER * label.text.length - 14, width),
    y: shifted(label.y, height - LINE - 4, height),
  }));
}

function shortened(names: string[]): string {
  return names.length > 4 ? [...names.slice(0, 3), "…"].join(", ") : names.join(", ");
}

/** Return the text of the label at a frame's origin. */
export function title(naming: LabelStyle, frame: number, name: string): string {
  if (naming === "name") return name || String(frame);
  return String(frame);
}

export class Labels {
  private readonly layer = document.createElement("div");
  private readonly shown: HTMLSpanElement[] = [];

  private width = 0;
  private height = 0;
  /** The labels of the last picture. */
  drawn: readonly Label[] = [];

  constructor(container: HTMLElement) {
    this.layer.className = "sc-labels";
    this.layer.setAttribute("aria-hidden", "true");
    container.append(this.layer);
  }

  /** Set the size of the picture; reading it for each picture would compute the layout of the page. */
  resize(width: number, height: number): void {
    [this.width, this.height] = [width, height];
  }

  draw(labels: Label[]): void {
    const drawn = separated(inside(merged(labels), this.width, this.height), this.height);
    this.drawn = drawn;
    while (this.shown.length < drawn.length) {
      const span = document.createElement("span");
      this.layer.append(span);
      this.shown.push(span);
    }
    this.shown.forEach((span, k) => {
      const label = drawn[k];
      if (span.hidden !== !label) span.hidden = !label;
      if (!label) return;
      if (span.textContent !== label.text) span.textContent = label.text;
      span.classList.toggle("sc-chosen", label.selected);
      const colour = label.colour ?? "";
      if (span.dataset["colour"] !== colour) {
        span.dataset["colour"] = colour;
        span.style.borderColor = colour;
        span.classList.toggle("sc-ghost", colour !== "");
      }
      span.style.transform = `translate(${Math.round(label.x)}px, ${Math.round(label.y)}px)`;
    });
  }

  dispose(): void {
    this.layer.remove();
  }
}
