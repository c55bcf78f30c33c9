// @vitest-environment jsdom

import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";

import { useLatest } from "./parts";

it("sends the next request when the previous one has been answered, and only the latest", async () => {
  const sent: number[] = [];
  const answers: ((text: string) => void)[] = [];
  function Value({ at }: { at: number }) {
    const value = useLatest(() => {
      sent.push(at);
      return new Promise<string>((resolve) => answers.push(resolve));
    }, [at]);
    return <p>{value ?? "none"}</p>;
  }
  const answer = (k: number, text: string): Promise<void> =>
    act(async () => {
      answers[k]!(text);
      await new Promise((resolve) => setTimeout(resolve));
    });
  const box = document.createElement("div");
  for (const at of [1, 2, 3, 4]) act(() => render(<Value at={at} />, box));
  expect(sent).toEqual([1]);
  await answer(0, "first");
  expect(box.textContent).toBe("first");
  expect(sent).toEqual([1, 4]);
  act(() => render(<Value at={5} />, box));
  act(() => render(null, box));
  await answer(1, "last");
  expect(sent).toEqual([1, 4]);
});
