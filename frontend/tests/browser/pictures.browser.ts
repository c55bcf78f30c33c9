// Screenshots for the documentation, and the pictures and videos that the page saves.

import { expect, test } from "vitest";

import { testPage, slide } from "./harness";

const it = testPage();

test("a robot with its tables and its scene", async () => {
  // Wide enough for the toolbar of the scene in one line.
  await it.page.setViewportSize({ width: 1440, height: 900 });
  await it.showing("RX90");
  await it.endTour();
  for (const [frame, value] of [[1, 0.5], [2, 0.9], [3, -0.6], [5, 0.7]] as const)
    await slide(it.page.getByTestId(`scene-joint-${frame}`).locator('input[type="range"]'), value);
  await it.cell("frame", 4, "r").click();
  await it.model("Dynamic", "inverse-dynamics");
  await it.page.getByTestId("scene-fit").click();
  await it.page.locator('[data-pane="models"] .katex').first().waitFor();
  await it.picture();
  await it.shot("workbench");
});

test("a model as code", async () => {
  await it.page.locator('[data-pane="models"] [data-tour="code"]').click();
  await it.page.locator('[data-pane="models"] .hljs-keyword, [data-pane="models"] pre').first().waitFor();
  await it.picture();
  await it.shot("code-tab");
});

test("a video of a motion is recorded while the page reacts", async () => {
  // The robot of this name is shown already, so that only the response shows that it has been opened again.
  await Promise.all([it.page.waitForResponse(/robot_open/), it.command("RX90", "robot rx90")]);
  await it.settled();
  await it.page.getByTestId("scene-tab-motion").click();
  await it.page.getByTestId("scene-swing").click();
  await it.page.getByTestId("scene-transport").waitFor();
  const button = it.page.getByTestId("scene-video");
  await button.click();
  await expect.poll(() => button.getAttribute("aria-pressed")).toBe("true");
  const time = it.page.getByTestId("scene-time");
  const first = Number(await time.inputValue());
  // Frames of the browser during the recording; a page that hangs draws none.
  const frames = await it.page.evaluate(
    () =>
      new Promise<number>((done) => {
        const end = performance.now() + 1200;
        let count = 0;
        const next = (): void => (performance.now() < end ? (count++, void requestAnimationFrame(next)) : done(count));
        requestAnimationFrame(next);
      }),
  );
  expect(frames).toBeGreaterThan(5);
  expect(Number(await time.inputValue())).not.toBe(first);
  const video = await it.downloaded(button);
  await expect.poll(() => button.getAttribute("aria-pressed")).toBe("false");
  expect(video.name).toMatch(/\.webm$/);
  expect(video.bytes.subarray(0, 4).toString("hex")).toBe("1a45dfa3"); // EBML, the container of WebM
  // The browser decodes the file again: it has the size of the scene, and its pictures differ. In an empty page, because
  // the content security policy of the page permits no video.
  const scene = (await it.canvas().boundingBox())!;
  const player = await it.page.context().newPage();
  const decoded = await player.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const video = document.createElement("video");
    video.muted = true;
    video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
    const pictures = new Set<string>();
    const sheet = document.createElement("canvas");
    await new Promise<void>((done, failed) => {
      video.onerror = () => failed(new Error(video.error?.message ?? "the video cannot be decoded"));
      video.onended = () => done();
      const next = (): void => {
        [sheet.width, sheet.height] = [video.videoWidth, video.videoHeight];
        sheet.getContext("2d")!.drawImage(video, 0, 0);
        pictures.add(sheet.toDataURL());
        video.requestVideoFrameCallback(next);
      };
      video.requestVideoFrameCallback(next);
      void video.play();
    });
    return { width: video.videoWidth, height: video.videoHeight, seconds: video.currentTime, pictures: pictures.size };
  }, video.bytes.toString("base64"));
  await player.close();
  expect(Math.abs(decoded.width - scene.width)).toBeLessThan(2);
  expect(Math.abs(decoded.height - scene.height)).toBeLessThan(2);
  expect(decoded.seconds).toBeGreaterThan(0.5);
  expect(decoded.pictures).toBeGreaterThan(3);
});

test("a browser without a recorder has a disabled button with the reason", async () => {
  const other = await it.page.context().newPage();
  await other.addInitScript(() => Reflect.deleteProperty(window, "MediaRecorder"));
  await other.goto(it.page.url());
  const button = other.getByTestId("scene-video");
  await button.waitFor();
  await other.locator('[data-testid="scene"][aria-busy="false"]').waitFor();
  expect(await button.isDisabled()).toBe(true);
  expect(await button.getAttribute("title")).toContain("cannot record WebM");
  await other.close();
});
