// What the page asks of symoro, wherever symoro runs: behind HTTP, or in a worker of the page itself.

export interface Asking {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface Progress {
  step?: string;
  done?: number;
  total?: number;
  /** Pieces of the result, as they come; each is told once. */
  came?: unknown[];
}

export interface Back {
  /** Answers a call of `symoro.ui.service`; throws a Failure when what was asked cannot be. */
  call<T>(name: string, payload?: object, asking?: Asking): Promise<T>;
}

/** What a user did wrong, or what symoro cannot do: kind, message, and where known hint, place and problems. */
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
