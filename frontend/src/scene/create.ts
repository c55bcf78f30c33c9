// The scene, drawn with three.js, and only after a change.

import * as THREE from "three";

import type { Mechanics, View } from "../backend/messages";
import { Body, drawnAt, hullBox, inFrame, type BodyHit, type Style } from "./body";
import { Viewpoint } from "./camera";
import { Cloud } from "./cloud";
import { DARK, LIGHT } from "./colours";
import { location, radiusOf } from "./extras";
import { Ghosts, ghostColour } from "./ghosts";
import { Gizmo } from "./gizmo";
import { forceEllipsoid, mobility, positionJacobian, velocityEllipsoid } from "./ellipsoid";
import { home } from "./joints";
import { Labels, title, type Label } from "./labels";
import { LinkDrag } from "./linkDrag";
import { load } from "./modules";
import { sample } from "./motion";
import type { LostMotion } from "./lostMotion";
import { Overlay, centreOfMass, totalMass } from "./overlay";
import { axis, origin, parameterPolyline, plus, robotSize, typicalLength, type Point } from "./polyline";
import { Player } from "./player";
import { supportForces } from "./support";
import { PostureSolver, loadPostureSolver } from "./posture";
import type { CreateScene, Appearance, DrawnMechanics, Ghost, JointTorques, Motion, Overlays, SceneDrag, ViewDirection } from "./scene";
import { drawLabelsOn, sceneSvg } from "./sceneSvg";
import { subsample, Trace } from "./trace";
import { Visuals } from "./visuals";

const GROUND = { light: "#fafbfc", dark: "#14171b" };
const NEAR_CLICK = 16;
/** Margin about the frames in a picture that shows the robot, as a part of its smaller side. */
const MARGIN = 0.08;
/** A robot that takes less than this part of both sides of the picture is shown larger. */
const SMALL = 0.35;
const IDLE = 120;
/** Least width of a saved picture in pixels, for slides. */
const PICTURE_WIDTH = 1920;
const SEEN = 80;
const MOST_PLACES = 600;
const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7];
/** Largest number of steps that fit the handles into the picture. */
const HANDLE_STEPS = 6;

export const createScene: CreateScene = (container, options) => {
  const renderer = new THREE.WebGLRenderer({ antialias: true });
  renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
  const canvas = renderer.domElement;
  canvas.className = "sc-canvas";
  canvas.dataset["testid"] = "scene-canvas";
  container.append(canvas);
  const labels = new Labels(container);

  const world = new THREE.Scene();
  const root = new THREE.Group();
  root.matrixAutoUpdate = false;
  const sun = new THREE.DirectionalLight(0xffffff, 1.9);
  sun.position.set(2, -3, 5);
  world.add(root, new THREE.HemisphereLight(0xffffff, 0x8890a0, 2.7), sun);
  const viewpoint = new Viewpoint(canvas, invalidate);
  const visuals = new Visuals();
  const ghosts = new Ghosts();
  const trace = new Trace();
  const wheelTracks = new Trace();
  const cloud = new Cloud();
  root.add(visuals.group, ghosts.group, cloud.group);
  world.add(trace.group, wheelTracks.group);

  let grid: THREE.GridHelper | null = null;
  let view: View | null = null;
  let solver: PostureSolver | null = null;
  let body: Body | null = null;
  let parameters: Record<string, number> = {};
  let q: number[] = [];
  let T = new Float64Array(0);
  /** Poses of the tips of flexible links, 16 numbers each. */
  let tips = new Float64Array(0);
  let reach = 1;
  let usual = 0;
  let margin = 0;
  /** Extent of the robot when it was last brought into the picture or found there. */
  let framed: THREE.Vector3[] = [];
  /** Points of the motion that is shown. */
  let ofMotion: THREE.Vector3[] = [];
  let base: number[] | null = null;
  let overlay: Overlay | null = null;
  let overlays: Overlays | null = null;
  let overlayFrame = 0;
  let mechanics: Mechanics | null = null;
  let torques: JointTorques | null = null;
  let highlighted: ReadonlySet<number> = new Set();
  let lost: readonly LostMotion[] = [];
  let dark = options.dark ?? false;
  let broken = false;
  let selected: number | null = null;
  let shown: ReadonlySet<number> | "all" = "all";
  let look: Appearance = { naming: "number", expanded: false, scale: 1, grid: true, meshes: true };
  let player: Player | null = null;
  let pending: number | null = null;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let requests = 0;
  let gone = false;
  /** Number of pictures drawn so far. */
  let pictures = 0;
  let files: ReadonlyMap<string, File> = new Map();
  let gizmoFrame: number | null = null;
  let ghostTags: readonly Ghost[] = [];
  /** Size of the picture in pixels; reading it from the page for each picture would compute the page's layout. */
  let [width, height] = [0, 0];
  /** A drag that is reported before the next picture. */
  let pulled: (() => SceneDrag | null) | null = null;
  const listeners: ((frame: number | null) => void)[] = [];
  const ghostListeners: ((index: number) => void)[] = [];
  const mechanicsListeners: ((numbers: DrawnMechanics) => void)[] = [];
  const dragListeners: ((drag: SceneDrag) => void)[] = [];
  const report = (drag: SceneDrag | null) => drag && dragListeners.forEach((listener) => listener(drag));

  const count = () => T.length / 16;
  // Arrows are longer than half a joint, so that bodies do not hide them.
  const arrow = () =>
    look.scale * Math.max(Math.min(0.14 * reach, Math.max(0.045 * reach, 0.6 * (usual || reach))), 4 * (view?.bodies.unit ?? 0));
  const style = (): Style => ({ shown, selected, arrow: arrow(), expanded: look.expanded, broken, parameters, tips, highlighted });
  const visible = (j: number) => shown === "all" || shown.has(j) || j === selected;

  function invalidate(): void {
    if (pending === null && !gone) pending = requestAnimationFrame(render);
  }

  function render(): void {
    pending = null;
    if (pulled) {
      const drag = pulled();
      pulled = null;
      report(drag);
      // The drag has requested another picture, which is this one.
      if (pending !== null) cancelAnimationFrame(pending);
      pending = null;
    }
    renderer.render(world, viewpoint.camera);
    pictures++;
    drawLabels();
    if (gizmo.dragging && gizmoFrame) canvas.dispatchEvent(new CustomEvent("symoro-drag", { detail: drawnDrag(gizmoFrame) }));
    clearTimeout(idle);
    idle = setTimeout(notify, IDLE);
  }

  /** Requested and drawn pose of a dragged frame, for tests and measurements. */
  function drawnDrag(frame: number): { target: number[]; pose: number[]; reach: number; ghosts: number } {
    return { target: gizmo.pose(), pose: Array.from(T.subarray(16 * (frame - 1), 16 * frame)), reach, ghosts: ghosts.count };
  }

  /** Text description of the picture for screen readers and tests: origins of all frames in the world, and the handles in the picture. */
  function notify(): void {
    if (!view) return;
    const points = Array.from({ length: count() + 1 }, (_, j) =>
      new THREE.Vector3(...origin(T, j)).applyMatrix4(root.matrix).toArray().map((x) => +x.toFixed(6)),
    );
    canvas.dataset["frames"] = JSON.stringify(points);
    const spot = gizmoFrame === null ? null : gizmo.spot(width, height);
    if (spot) canvas.dataset["handle"] = JSON.stringify(spot);
    else delete canvas.dataset["handle"];
    canvas.dataset["robot"] = view.name;
    canvas.dataset["solids"] = JSON.stringify(body?.solids ?? []);
  }

  function redraw(): void {
    if (!view || !body) return;
    body.update(T, style());
    visuals.group.visible = look.meshes;
    visuals.update(T);
    drawOverlay();
    invalidate();
  }

  function drawOverlay(): void {
    if (!overlay || !overlays || !view) return;
    const columns = overlays.velocity || overlays.force ? positionJacobian(solver!, q, overlayFrame, reach, broken) : null;
    const velocity = columns && velocityEllipsoid(columns);
    const force = velocity && overlays.force ? forceEllipsoid(velocity, mobility(solver!, q, overlayFrame, reach, broken)) : null;
    solver!.transforms(q);
    // Gravity is given in the world.
    const g = new THREE.Vector3(...((mechanics?.gravity ?? [0, 0, 0]) as Point));
    g.applyMatrix3(new THREE.Matrix3().setFromMatrix4(root.matrix).transpose());
    const gravity: Point = [g.x, g.y, g.z];
    const loaded = overlays.contacts && mechanics?.contacts.length ? mechanics : null;
    const support = loaded && supportForces(T, loaded, gravity, reach);
    const at = overlays.centre && mechanics ? centreOfMass(T, mechanics) : null;
    const numbers = {
      centre: at ? { mass: totalMass(mechanics!), at } : undefined,
      velocity: velocity && overlays.velocity ? { semiAxes: velocity.lengths.map((x) => x * velocity.longest), unit: reach } : undefined,
      support: loaded ? support : undefined,
    };
    for (const listener of mechanicsListeners) listener(numbers);
    const counts = overlay.update(T, {
      shown: overlays,
      mechanics,
      torques,
      support,
      velocity,
      force,
      lost,
      frame: overlayFrame,
      reach,
      unit: view.bodies.unit,
      gravity,
    });
    canvas.dataset["overlay"] = JSON.stringify(counts);
  }

  const spot = new THREE.Vector3();
  function project(point: Point): { x: number; y: number; ahead: boolean } {
    spot.set(...point).applyMatrix4(root.matrix).project(viewpoint.camera);
    return { x: ((spot.x + 1) / 2) * width, y: ((1 - spot.y) / 2) * height, ahead: Math.abs(spot.z) < 1 };
  }

  function drawLabels(): void {
    const drawn: Label[] = [];
    // The layout of labels takes longer than the picture, so that a drag hides them.
    const dragged = gizmo.dragging || links.dragging;
    if (view && !dragged && look.naming !== "none")
      for (let j = 0; j <= count(); j++) if (visible(j)) drawn.push(...labelsOf(j));
    if (view && !dragged)
      ghosts.anchors(T).forEach((at, k) => {
        const { x, y, ahead } = project(at);
        if (ahead) drawn.push({ text: ghostTags[k]!.tag, x: x + 8, y: y - 14, selected: false, colour: ghostColour(k, dark) });
      });
    labels.draw(drawn);
  }

  function labelsOf(j: number): Label[] {
    const at = drawnAt(view!, T, j, style());
    const name = j === 0 ? "0" : j > view!.frames.length ? (view!.tool ?? "tool") : view!.frames[j - 1]!.name;
    const put = (text: string, point: Point): Label[] => {
      const { x, y, ahead } = project(point);
      return ahead ? [{ text, x, y, selected: j === selected }] : [];
    };
    // Labels are beside the arrows z and x, so that those of coinciding frames separate when the arrows become long.
    const beside = plus(plus(at, axis(T, j, 2), 0.55 * arrow()), axis(T, j, 0), 0.3 * arrow());
    if (look.naming !== "axes") return put(j > view!.frames.length ? name : title(look.naming, j, name), beside);
    const index = j > view!.frames.length ? "E" : j;
    const tip = (column: number) => plus(at, axis(T, j, column), 1.12 * arrow());
    return [...put(`x${index}`, tip(0)), ...put(`z${index}`, tip(2))];
  }

  function place(next: number[]): void {
    q = next;
    const now = solver!.transforms(q);
    if (T.length === now.length) T.set(now);
    else T = Float64Array.from(now);
    tips = Float64Array.from(solver!.tips());
    placeGizmo();
    redraw();
  }

  /** Move the handles to their frame, unless the user is dragging them. */
  function placeGizmo(): void {
    if (gizmoFrame === null || gizmo.dragging) return;
    if (gizmoFrame > 0) gizmo.place(T, 16 * (gizmoFrame - 1));
    else gizmo.place(root.matrix.clone().transpose().toArray());
  }

  function measure(): void {
    reach = Math.max(robotSize(T, 0), ...ends().map((end) => Math.hypot(...end))) || 1;
    usual = typicalLength(T, view!.frames.map((frame) => frame.ant));
  }

  function setRoot(): void {
    const m = new THREE.Matrix4().fromArray(base ?? (view ? location(view) : [])).transpose();
    if (base || view) root.matrix.copy(m);
    root.matrixWorldNeedsUpdate = true;
    placeGizmo();
    invalidate();
  }

  function paint(): void {
    world.background = new THREE.Color(dark ? GROUND.dark : GROUND.light);
    const palette = dark ? DARK : LIGHT;
    body?.setPalette(palette);
    ghosts.setDark(dark);
    trace.setColour(palette.trace);
    wheelTracks.setColour(palette.wheel);
    if (grid) {
      world.remove(grid);
      grid.dispose();
    }
    const cell = 10 ** Math.round(Math.log10(reach / 4));
    const cells = 2 * Math.ceil((1.6 * reach) / cell);
    grid = new THREE.GridHelper(cells * cell, cells, dark ? 0x454c55 : 0xb4bac2, dark ? 0x23282e : 0xe4e7eb);
    grid.rotation.x = Math.PI / 2;
    // A robot below the plane z = 0 is not covered by the lines.
    grid.material.depthWrite = false;
    grid.renderOrder = -1;
    grid.visible = look.grid;
    world.add(grid);
    redraw();
    invalidate();
  }

  /** Return positions in the world along a motion of a point that is computed from the transforms of the frames. */
  function pathOf(motion: Motion, point: (transforms: ArrayLike<number>) => Point): Point[] {
    return subsample(motion.times.length, MOST_PLACES).map((k) => {
      solver!.setModes(motion.modes?.[k] ?? null);
      const at = new THREE.Vector3(...point(solver!.transforms(motion.q[k]!)));
      const basePose = motion.base?.[k];
      return at.applyMatrix4(basePose ? new THREE.Matrix4().fromArray(basePose).transpose() : root.matrix).toArray();
    });
  }

  function origins(at: ArrayLike<number> = T): Point[] {
    const points = Array.from({ length: count() + 1 }, (_, j) => origin(at, j));
    return points.filter((point) => point.every(Number.isFinite));
  }

  /** Return the ends of the links without a child frame and of rails, and the corners of a floating or wheeled base. */
  function ends(at: Float64Array = T, beams: ArrayLike<number> = tips): Point[] {
    return (view?.bodies.parts ?? []).flatMap((part) => {
      if (part.shape === "bar") return [inFrame(at, part.frame, part.point)];
      if (part.shape === "beam") return beams.length ? [] : [inFrame(at, part.frame, [part.length, 0, 0])];
      if (part.shape === "hull") return CORNERS.map((k) => corner(hullBox(at, part), k).toArray());
      if (part.shape !== "rail") return [];
      const foot = parameterPolyline(at, view!.frames[part.frame - 1]!.ant, part.frame).points[2];
      return [part.low, part.high].map((along) => plus(foot, axis(at, part.frame, 2), along));
    }).concat(Array.from({ length: beams.length / 16 }, (_, k) => origin(beams, k + 1)));
  }

  /** Return the corners of boxes about the wheels, which extend beyond the frames on their axes. */
  function wheels(): Point[] {
    return (view?.wheels ?? []).flatMap((wheel) => {
      const size = radiusOf(wheel, parameters) ?? arrow();
      const at = origin(T, wheel.frame);
      return [-size, size].flatMap((x) => [-size, size].flatMap((y) => [-size, size].map((z) => add(at, [x, y, z]))));
    });
  }

  function inWorld(points: Point[]): THREE.Vector3[] {
    return points.map((point) => new THREE.Vector3(...point).applyMatrix4(root.matrix));
  }

  /** Return points about which the robot and its workspace extend, in the world. */
  function extent(): THREE.Vector3[] {
    const points = inWorld([...origins(), ...wheels(), ...ends(), ...cloud.extent]);
    if (!look.meshes || !view?.visuals?.length) return points;
    root.updateMatrixWorld(true);
    const box = new THREE.Box3().setFromObject(visuals.group);
    return box.isEmpty() ? points : [...points, ...CORNERS.map((k) => corner(box, k))];
  }

  /** Fit the robot and its motion into the picture. */
  function fit(from?: ViewDirection, room = margin): void {
    margin = room;
    framed = extent();
    const points = [...framed, ...ofMotion];
    const wide = Math.max(room, 1.2 * arrow());
    viewpoint.fit(points, wide, from);
    fitHandles(points, wide);
    invalidate();
  }

  /**
   * Fit points and the handles into the picture. The handles have a constant size in the picture, so that their length in
   * metres grows with the distance of the camera; it changes by less than half as much, and a few steps suffice.
   */
  function fitHandles(points: THREE.Vector3[], room: number): void {
    for (let k = 0; k < HANDLE_STEPS && !gizmo.ends().every(inPicture); k++) viewpoint.fit(points, room, undefined, gizmo.ends());
  }

  /** Return a point of the world in the picture: x and y from -1 to 1. */
  function inView(point: THREE.Vector3): THREE.Vector3 {
    viewpoint.camera.updateMatrixWorld();
    return point.clone().project(viewpoint.camera);
  }

  function inPicture(point: THREE.Vector3): boolean {
    const { x, y, z } = inView(point);
    return Math.abs(x) <= 1 && Math.abs(y) <= 1 && z < 1;
  }

  function pick(event: { clientX: number; clientY: number }): number | null {
    const box = canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const hits: number[] = [];
    for (let j = view!.base === "fixed" ? 1 : 0; j <= count(); j++) {
      if (!visible(j)) continue;
      const { x, y, ahead } = project(drawnAt(view!, T, j, style()));
      if (ahead && Math.hypot(x - px, y - py) < NEAR_CLICK) hits.push(j);
    }
    // Repeated clicks at one point select the coinciding frames in turn.
    const next = selected !== null && hits.includes(selected) ? hits[(hits.indexOf(selected) + 1) % hits.length] : hits[0];
    return next ?? null;
  }

  const gizmo = new Gizmo(viewpoint.camera, canvas, world, {
    change: invalidate,
    drag: () => {
      pulled = () =>
        gizmoFrame === null ? null : { kind: "frame", frame: gizmoFrame, pose: gizmo.pose(), mode: gizmoMode };
      invalidate();
    },
    dragging: (active) => {
      viewpoint.setEnabled(!active);
      if (active) return report({ kind: "start", of: "frame" });
      // The last position of the pointer may not have been drawn yet.
      report(pulled?.() ?? null);
      pulled = null;
      report({ kind: "end" });
      placeGizmo();
      invalidate();
    },
  });
  let gizmoMode: "translate" | "rotate" = "translate";
  const links = new LinkDrag(canvas, {
    view: () => view,
    transforms: () => T,
    root,
    camera: () => viewpoint.camera,
    project,
    body: (ray, meshes) => nearer(body?.hit(ray) ?? null, meshes && look.meshes ? visuals.hit(ray) : null),
    free: () => gizmo.hovered || gizmo.dragging,
    ghost: (to, most) => ghosts.nearest(to, most),
    hover: (ghost) => ghosts.highlight(ghost) && invalidate(),
    hold: (held) => viewpoint.setEnabled(!held),
    dragging: (active) => report(active ? { kind: "start", of: "link" } : { kind: "end" }),
    pull: (drag) => {
      pulled = () => drag;
      invalidate();
    },
  });

  let pressed = { x: 0, y: 0 };
  const onDown = (event: PointerEvent) => (pressed = { x: event.clientX, y: event.clientY });
  const onUp = (event: PointerEvent) => {
    if (!view || gizmo.hovered || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) return;
    const picked = pick(event);
    const ghost = picked === null ? links.ghostAt(event) : null;
    if (ghost !== null) return ghostListeners.forEach((listener) => listener(ghost));
    for (const listener of listeners) listener(picked);
  };
  canvas.addEventListener("pointerdown", onDown);
  canvas.addEventListener("pointerup", onUp);

  function resize(): void {
    [width, height] = [container.clientWidth, container.clientHeight];
    if (!width || !height) return;
    labels.resize(width, height);
    gizmo.resize(height);
    renderer.setSize(width, height, false);
    viewpoint.resize(width, height);
    // Unless the user has moved the camera, the robot is fitted again when the size of the pane changes.
    if (view && !viewpoint.movedByUser) fit();
    invalidate();
  }
  const observer = new ResizeObserver(resize);
  observer.observe(container);
  resize();
  paint();

  return {
    async setRobot(next: View, placements, values, from, another) {
      const turn = ++requests;
      const made = await loadPostureSolver(next, placements, values);
      if (turn !== requests || gone) return;
      const isNewRobot = another || view?.frames.length !== next.frames.length;
      const kept = from ?? (isNewRobot ? [] : q);
      body?.dispose();
      [view, solver, parameters] = [next, made, values];
      if (isNewRobot) base = null;
      const start = kept.length === next.joints.length ? kept : home(next);
      place(made.follow(broken ? start : made.withCutJoints(start)));
      measure();
      body = new Body(view, count());
      overlay?.dispose();
      overlay = new Overlay(count());
      if (isNewRobot) [mechanics, torques, highlighted, lost, ofMotion] = [null, null, new Set(), [], []];
      root.add(body.group, overlay.group);
      ghosts.clear();
      ghostTags = [];
      setRoot();
      paint();
      const drawn = visuals.set(view.visuals ?? [], files).then(redraw);
      if (!isNewRobot) return;
      if (view.visuals?.length) await drawn;
      // Margin for motions of the robot within the picture.
      fit("iso", 0.2 * reach);
    },
    async setLoops(loops) {
      const turn = requests;
      const made = await load(loops);
      if (turn === requests && !gone) solver?.setLoops(made, parameters);
    },
    setParameters(values) {
      parameters = values;
      if (!solver) return;
      solver.setParameters(values);
      place(solver.move(q, q, broken).q);
      setRoot();
      // Arrows and grid keep their size unless the size of the robot has changed considerably.
      const change = robotSize(T) / reach;
      if (change < 0.5 || change > 2) {
        measure();
        paint();
      }
    },
    async setPosture(next) {
      return this.move(next).q;
    },
    move(next) {
      if (!solver) return { q: next, closed: true };
      const moved = solver.move(q, next, broken);
      place(moved.q);
      return moved;
    },
    follow: (from, to) => solver?.move(from, to, broken) ?? { q: to, closed: true },
    put(next) {
      if (solver) place(next);
    },
    ready: () => ({ robot: solver !== null, loops: solver?.closes ?? false }),
    posture: () => q,
    transform: (j) => Array.from(T.subarray(16 * (j - 1), 16 * j)),
    reach: () => reach,
    setBase(pose) {
      base = pose;
      setRoot();
      // Gravity turns with respect to frame 0.
      drawOverlay();
    },
    setModes(e) {
      solver?.setModes(e);
    },
    tracks(motion) {
      const wheelViews = motion && view && motion.q[0]?.length === q.length ? view.wheels : [];
      const lines = wheelViews.map((wheel) => {
        const down = -(radiusOf(wheel, parameters) ?? 0);
        return pathOf(motion!, (transforms) => plus(origin(transforms, wheel.frame), [0, 0, 1], down));
      });
      wheelTracks.set(...lines);
      canvas.dataset["tracks"] = String(lines.filter((line) => line.length > 1).length);
      invalidate();
    },
    followRobot() {
      if (viewpoint.follow(inWorld([...origins(), ...ends()]))) invalidate();
    },
    select(frame) {
      selected = frame;
      redraw();
    },
    onSelect: (listener) => void listeners.push(listener),
    showFrames(frames) {
      shown = frames;
      redraw();
    },
    setLook(next) {
      look = { ...look, ...next };
      if (grid) grid.visible = look.grid;
      redraw();
      invalidate();
    },
    setMeshes(dropped) {
      files = dropped;
      if (view?.visuals?.length) void visuals.set(view.visuals, files).then(redraw);
    },
    postures: () => solver,
    ghosts(next) {
      if (!view || !solver) return;
      ghostTags = next;
      ghosts.set(view, next.map((one) => one.T), 0.075 * arrow(), T);
      canvas.dataset["ghosts"] = String(next.length);
      invalidate();
    },
    highlightGhost(index) {
      if (ghosts.highlight(index)) invalidate();
    },
    onGhost: (listener) => void ghostListeners.push(listener),
    gizmo(frame, mode, axes) {
      gizmoFrame = view && frame !== null && frame <= count() ? frame : null;
      gizmoMode = mode;
      if (gizmoFrame === null) gizmo.hide();
      else {
        gizmo.setCamera(viewpoint.camera);
        gizmo.show(gizmoFrame === 0 ? world : root, mode, axes);
        placeGizmo();
        if (!viewpoint.movedByUser && !gizmo.ends().every(inPicture)) fit();
      }
      invalidate();
    },
    onDrag: (listener) => void dragListeners.push(listener),
    trace(frame, motion) {
      if (!solver || motion.q[0]?.length !== q.length) return [];
      return pathOf(motion, (transforms) => origin(transforms, frame));
    },
    path(points) {
      trace.set(...(points ? [points] : []));
      canvas.dataset["path"] = String(points?.length ?? 0);
      invalidate();
    },
    cloud(points, shares) {
      cloud.set(points, shares);
      canvas.dataset["cloud"] = String((points?.length ?? 0) / 3);
      this.keepInPicture();
      invalidate();
    },
    overlay(next, frame) {
      [overlays, overlayFrame] = [next, frame];
      redraw();
    },
    setMechanics(next) {
      mechanics = next;
      redraw();
    },
    setTorques(next) {
      torques = next;
      redraw();
    },
    onMechanics: (listener) => void mechanicsListeners.push(listener),
    highlight(joints, motions) {
      if (joints.length === highlighted.size && joints.every((j) => highlighted.has(j)) && JSON.stringify(motions) === JSON.stringify(lost)) return;
      highlighted = new Set(joints);
      lost = motions;
      canvas.dataset["highlighted"] = joints.join(" ");
      redraw();
    },
    breakLoops(next) {
      broken = next;
      if (solver && !broken) place(solver.move(q, q).q);
      redraw();
    },
    play(motion, onTime) {
      player?.pause();
      player = new Player(
        () => [motion.times[0] ?? 0, motion.times.at(-1) ?? 0],
        (time) => {
          this.put(sample(motion, time));
          onTime(time, q);
        },
      );
      player.play();
    },
    stop: () => player?.pause(),
    look(from, orthographic) {
      if (orthographic !== undefined) viewpoint.setOrthographic(orthographic);
      gizmo.setCamera(viewpoint.camera);
      fit(from, 0);
    },
    fit() {
      // Closing the loops may have changed the size of the robot.
      measure();
      paint();
      fit(undefined, 0);
    },
    keepInPicture(postures = []) {
      if (!solver || !view) return;
      // A few postures represent the whole motion.
      const few = postures.filter((_, k) => k % Math.ceil(postures.length / SEEN) === 0);
      const before = framed;
      framed = extent();
      ofMotion = few.flatMap((one) => {
        const at = solver!.transforms(one);
        return inWorld([...origins(at), ...ends(at, solver!.tips())]);
      });
      const points = [...framed, ...ofMotion];
      const seen = points.map(inView);
      // Bodies extend beyond the origins of their frames.
      const edge = (length: number) => 1 - (2 * MARGIN * Math.min(width, height)) / length;
      const complete = seen.every(({ x, y }) => Math.abs(x) < edge(width) && Math.abs(y) < edge(height)) && gizmo.ends().every(inPicture);
      // A view of a part of the robot was chosen by the user, and remains until the robot has left it.
      const lost = before.every(inPicture) ? !complete : !points.some(inPicture);
      const size = (coordinate: "x" | "y") => Math.max(...seen.map((one) => one[coordinate])) - Math.min(...seen.map((one) => one[coordinate]));
      const small = !viewpoint.movedByUser && Math.max(size("x"), size("y")) < 2 * SMALL;
      if (lost || small) fit(undefined, 0);
    },
    orbit(right, up, nearer = 1) {
      viewpoint.orbit(right, up, nearer);
      invalidate();
    },
    screenshot() {
      const usual = renderer.getPixelRatio();
      const scale = Math.max(usual, PICTURE_WIDTH / width);
      const sheet = document.createElement("canvas");
      [sheet.width, sheet.height] = [Math.round(scale * width), Math.round(scale * height)];
      const context = sheet.getContext("2d")!;
      renderer.setPixelRatio(scale);
      gizmo.hiddenIn(() => renderer.render(world, viewpoint.camera));
      context.drawImage(canvas, 0, 0, sheet.width, sheet.height);
      renderer.setPixelRatio(usual);
      renderer.render(world, viewpoint.camera);
      context.scale(scale, scale);
      drawLabelsOn(context, labels.drawn, dark);
      return new Promise((done, failed) =>
        sheet.toBlob((blob) => (blob ? done(blob) : failed(new Error("the browser could not save the picture"))), "image/png"),
      );
    },
    svg() {
      return gizmo.hiddenIn(() => sceneSvg(world, viewpoint.camera, { width, height, dark, ground: dark ? GROUND.dark : GROUND.light, labels: labels.drawn }));
    },
    frameSource: () => ({
      width,
      height,
      pictures,
      draw(context) {
        renderer.render(world, viewpoint.camera);
        context.drawImage(canvas, 0, 0, width, height);
        drawLabelsOn(context, labels.drawn, dark);
      },
    }),
    setDark(next) {
      dark = next;
      paint();
    },
    resize,
    dispose() {
      gone = true;
      requests++;
      player?.pause();
      if (pending !== null) cancelAnimationFrame(pending);
      clearTimeout(idle);
      observer.disconnect();
      canvas.removeEventListener("pointerdown", onDown);
      canvas.removeEventListener("pointerup", onUp);
      links.dispose();
      gizmo.dispose();
      body?.dispose();
      overlay?.dispose();
      visuals.dispose();
      ghosts.dispose();
      trace.clear();
      wheelTracks.clear();
      cloud.clear();
      grid?.dispose();
      viewpoint.dispose();
      labels.dispose();
      renderer.dispose();
      canvas.remove();
    },
  };
};

function nearer(a: BodyHit | null, b: BodyHit | null): BodyHit | null {
  return a && b ? (a.distance < b.distance ? a : b) : (a ?? b);
}

function add(a: Point, b: Point): Point {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

/** Return corner k of a box, k from 0 to 7. */
function corner({ min, max }: THREE.Box3, k: number): THREE.Vector3 {
  return new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z);
}
