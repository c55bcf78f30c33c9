// Interface between the page and symoro. Implementations: an HTTP server (http.ts) and Python in a web worker
// (worker.ts).

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface Progress {
  step?: string;
  done?: number;
  total?: number;
  /** New pieces of the result in the order of arrival; each piece is reported once. */
  pieces?: unknown[];
}

export interface Backend {
  /** Return the answer of a call of `symoro.ui.service`; throw a Failure if the request is rejected. */
  call<T>(name: string, payload?: object, options?: CallOptions): Promise<T>;
}

/** Error of a request: kind and message; where known also hint, place in the file and single problems. */
export interface Problem {
  kind: string;
  message: string;
  hint?: string;
  place?: unknown;
  problems?: unknown[];
}

export class Failure extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}
