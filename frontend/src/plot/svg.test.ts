// @vitest-environment jsdom

import { expect, it } from "vitest";

import { rangeOf, tickText } from "./chart";
import { svgOf, ticks } from "./svg";

it("ticks are round numbers inside the bounds", () => {
  expect(ticks(0, 5)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(ticks(-0.13, 0.21)).toEqual([-0.1, 0, 0.1, 0.2]);
  expect(ticks(3, 3)).toEqual([3]);
  expect(ticks(1e-9, 5e-9)).toEqual([1e-9, 2e-9, 3e-9, 4e-9, 5e-9]);
});

it("numbers of an axis are short and exact", () => {
  expect([0, 0.25, -1.5, 120000, 5e-4, -2e-7, 2.5e6, 0.1 + 0.2].map(tickText)).toEqual(["0", "0.25", "-1.5", "120000", "5e-4", "-2e-7", "2.5e6", "0.3"]);
});

it("a constant curve is in the middle of its axis", () => {
  expect(rangeOf(null, 0, 0)).toEqual([-1, 1]);
  expect(rangeOf(null, -3, -3)).toEqual([-6, 0]);
  expect(rangeOf(null, null, null)).toEqual([-1, 1]);
  expect(rangeOf(null, 0, 10)).toEqual([-1, 11]);
});

it("an SVG has axes with units, the names of the curves, and gaps where a value is missing", () => {
  const curves = [
    { label: "a<b", unit: "rad", values: [0, null, 2, 3] },
    { label: "c", unit: "rad", values: [1, 1, 1, 1] },
  ];
  const text = svgOf([0, 1, 2, 3], [{ title: "positions", unit: "rad", curves }, { title: "energy", unit: "J", curves: [] }]);
  expect(text).toContain('width="960"');
  for (const part of ["positions in rad", "energy in J", "time in s", "a&#60;b"]) expect(text).toContain(part);
  const [first] = /<path d="[^"]*" fill="none" stroke="#0072b2"/.exec(text)!;
  expect(first.match(/M/g)).toHaveLength(2);
  expect(new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")).toBeNull();
});

it("the names of many curves are on several lines inside their plot, and colours that repeat are dashed", () => {
  const curves = Array.from({ length: 30 }, (_, k) => ({ label: `joint ${k}`, unit: "rad", values: [0, k] }));
  const text = svgOf([0, 1], [{ title: "positions", unit: "rad", curves }]);
  const lines = [...text.matchAll(/<text x="62" y="[-\d]+"[^>]*>(.*)<\/text>/g)].map(([, names]) => names!.replace(/<[^>]*>/g, ""));
  expect(lines.length).toBeGreaterThan(2);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(90);
  expect(text.match(/stroke-dasharray/g)).toHaveLength(30 - 8);
});

it("an axis of an SVG is logarithmic, with gaps where a value has no logarithm", () => {
  const curves = [{ label: "sigma", values: [1, 0.1, 0, 0.01] }];
  const text = svgOf([0, 1, 2, 3], [{ title: "singular values", unit: "", curves, logarithmic: true }]);
  const heights = [.../[ML][\d.]+ ([\d.]+)/g[Symbol.matchAll](/<path d="([^"]*)" fill="none" stroke="#0072b2"/.exec(text)![1]!)].map(([, y]) => Number(y));
  expect(heights).toHaveLength(3);
  expect(heights[1]! - heights[0]!).toBeCloseTo(heights[2]! - heights[1]!, 1);
  for (const tick of [">0.1<", ">0.01<"]) expect(text).toContain(tick);
});
