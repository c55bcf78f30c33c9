// Visible rows of a long list whose rows differ in height and are measured only when drawn.

export class Heights {
  private readonly heights: Float64Array;
  private readonly tops: Float64Array;
  private sound = 0;

  constructor(guesses: ArrayLike<number>) {
    this.heights = Float64Array.from(guesses);
    this.tops = new Float64Array(this.heights.length + 1);
  }

  get length(): number {
    return this.heights.length;
  }

  get total(): number {
    return this.top(this.length);
  }

  /** Return the offset at which row `at` starts; for `length` the end of the list. */
  top(at: number): number {
    for (; this.sound < at; this.sound++) {
      this.tops[this.sound + 1] = this.tops[this.sound]! + this.heights[this.sound]!;
    }
    return this.tops[at]!;
  }

  /** Store measured heights; return whether any height changed. */
  measured(at: number, height: number): boolean {
    if (height <= 0 || Math.abs(height - this.heights[at]!) < 0.5) return false;
    this.heights[at] = height;
    this.sound = Math.min(this.sound, at);
    return true;
  }

  /** Return the row at an offset. */
  at(place: number): number {
    this.top(this.length);
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle + 1]! <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Return the rows from `first` to `last` (exclusive) that are visible, with a margin above and below. */
  window(scroll: number, height: number, margin: number): { first: number; last: number } {
    const first = this.at(Math.max(0, scroll - margin));
    const last = Math.min(this.length, this.at(scroll + height + margin) + 1);
    return { first: Math.min(first, last), last };
  }
}
