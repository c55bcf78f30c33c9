import { expect, it } from "vitest";

import { Failure } from "../backend/backend";
import { CELLS, sampleBackend, sampleView } from "./sample";
import { linkOf, sharedState, sharedView, showShared } from "./share";
import { createStore, type Store } from "./store";

const PLACE = { origin: "http://127.0.0.1:8714", pathname: "/" };

function shown(): Store {
  const store = createStore(sampleBackend());
  store.show(sampleView(CELLS));
  store.q.value = [0.25, -1.5];
  store.parameters.value = { D2: 0.7 };
  store.base.value = [1, 2, 0, 0, 0, 0.5];
  store.requested.value = { model: "jacobian", options: { to: 1 } };
  return store;
}

async function hashOf(store: Store): Promise<string> {
  return new URL((await linkOf(store, PLACE))!).hash;
}

it("a link restores robot, posture, parameters, base and model", async () => {
  const store = createStore(sampleBackend());
  const state = await sharedState(await hashOf(shown()));
  showShared(store, state!, await sharedView(store, state!));
  expect(store.view.value!.robot).toEqual(shown().view.value!.robot);
  expect(store.q.value).toEqual([0.25, -1.5]);
  expect(store.parameters.value).toEqual({ D2: 0.7 });
  expect(store.base.value).toEqual([1, 2, 0, 0, 0, 0.5]);
  expect(store.requested.value).toEqual({ model: "jacobian", options: { to: 1 } });
});

it("a link contains neither the token of the address nor characters that mail programs break", async () => {
  const link = (await linkOf(shown(), PLACE))!;
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8714\/#robot=[\w-]+$/);
});

it("an address without a link has no state", async () => {
  expect(await sharedState("")).toBeNull();
  expect(await sharedState("#elsewhere")).toBeNull();
});

it("every link with a changed, missing or additional character is rejected", async () => {
  const hash = await hashOf(shown());
  const start = "#robot=".length;
  const changed = [...hash.slice(start)].map((letter, i) => hash.slice(0, start + i) + (letter === "A" ? "B" : "A") + hash.slice(start + i + 1));
  const cut = [1, 5, 40].map((n) => hash.slice(0, -n));
  for (const one of [...changed, ...cut, `${hash}AAAA`, "#robot=", "#robot=%%%"]) {
    // The last letter may contain unused bits; then the content is the same.
    const state = await sharedState(one).catch((error: unknown) => error);
    if (state instanceof Failure) expect(state.problem).toMatchObject({ kind: "LinkError", hint: expect.stringContaining("copy the complete link") });
    else expect(state).toEqual(await sharedState(hash));
  }
});

it("punctuation after a link is ignored", async () => {
  const hash = await hashOf(shown());
  for (const end of [".", ")", ",", "%20", ">"]) expect(await sharedState(hash + end)).toEqual(await sharedState(hash));
});

async function hashOfText(text: string): Promise<string> {
  const bytes = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer();
  return `#robot=${btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

it("a link of another program is rejected", async () => {
  for (const text of ["null", "[1]", '{"a": 1}']) await expect(sharedState(await hashOfText(text))).rejects.toThrow("does not contain a robot");
});

it("a link of a newer page names the remedy", async () => {
  const hash = await hashOfText('{"form": 2}');
  await expect(sharedState(hash)).rejects.toMatchObject({ problem: { message: expect.stringContaining("format is 2"), hint: expect.stringContaining("newer") } });
});

it("a posture of another robot is rejected", async () => {
  const state = (await sharedState(await hashOf(shown())))!;
  const store = createStore(sampleBackend());
  await expect(sharedView(store, { ...state, q: [0] })).rejects.toThrow("1 positions");
});
