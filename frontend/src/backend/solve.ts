// All solutions of the inverse geometric model, computed by its emitted JavaScript.

import { compile } from "../models/emitted";
import { constants } from "../models/evaluate";
import { Failure, type Backend, type CallOptions } from "./backend";
import type { PostureRow, SolvedPose, SolveRequest, Sources } from "./messages";

const TOLERANCE = 1e-6; // largest accepted residual, as in src/symoro/ui/service/postures.py
const STATUS: Record<number, PostureRow["status"]> = { 0: "valid", 2: "singular" };
const JOINTS = 6; // robots with more joints may be redundant; their solutions are not all

/** Answer `solve` by emitted code where the robot has a closed form, no loops and at most six coordinates. */
export function withEmittedSolutions(backend: Backend, addressOf?: (source: string) => string): Backend {
  async function solve(request: SolveRequest, options: CallOptions): Promise<SolvedPose | null> {
    const { robot, pose, q0 = [], values = {} } = request;
    if (q0.length > JOINTS || "loops" in robot || Object.keys(request.options ?? {}).length) return null;
    const payload = { robot, model: "inverse-geometry", options: {}, language: "javascript" };
    const { files, inputs } = await backend.call<Sources>("code", payload, options);
    if (!Object.keys(inputs).every((name) => name === "T" || name === "q0")) return null;
    const module = await compile(files, addressOf);
    const given = Object.keys(module.INPUTS).map((name) => (name === "T" ? pose.flat() : q0));
    const outputs = module.call(...given, ...constants(module, values)) as Record<string, Float64Array>;
    const { q, status, residual, free } = outputs;
    if (!q || !status || !residual || q.length !== status.length * q0.length) return null;
    const n = q.length / status.length;
    const rows = Array.from(status, (code, k): PostureRow | null => {
      const joints = Array.from(q.subarray(k * n, k * n + n));
      const known = STATUS[code];
      if (!known || !joints.every(Number.isFinite) || !(residual[k]! <= TOLERANCE)) return null;
      const names = inputs["q0"]?.entries ?? [];
      const undetermined = free ? names.flatMap((name, j) => (free[k * n + j] ? [Number(/\d+$/.exec(name)?.[0])] : [])) : [];
      return { q: joints, qc: [], status: known, residual: residual[k]!, free: undetermined };
    });
    const solutions = rows.filter((row) => row !== null);
    return { method: "closed form", complete: true, coordinates: [], opened: [], solutions };
  }

  return {
    async call<T>(name: string, payload: object = {}, options: CallOptions = {}): Promise<T> {
      if (name === "solve") {
        try {
          const solved = await solve(payload as SolveRequest, options);
          if (solved) return solved as T;
        } catch (error) {
          // Without a closed form, symoro iterates.
          if (!(error instanceof Failure && error.problem.kind === "NotApplicableError")) throw error;
        }
      }
      return backend.call<T>(name, payload, options);
    },
  };
}
