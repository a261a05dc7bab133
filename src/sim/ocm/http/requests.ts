/** A request that reached the simulator. */
export interface RecordedRequest {
  readonly environment: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** `labels`, `clusters/upgrade_policies`, `token`; empty for an unknown path. */
  readonly collection: string;
  /** On the simulated clock. */
  readonly at: Date;
  /** 0 without a response. */
  readonly status: number;
}

const MAX_REQUESTS = 100_000;

/** The last requests, in order. */
export class RequestLog {
  #requests: RecordedRequest[] = [];

  get all(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** Returns a function that records the response. */
  add(request: Omit<RecordedRequest, 'status'>): (status: number) => void {
    const entry = { ...request, status: 0 };
    if (this.#requests.length >= MAX_REQUESTS) this.#requests = this.#requests.slice(-MAX_REQUESTS / 2);
    this.#requests.push(entry);
    return (status) => {
      entry.status = status;
    };
  }

  clear(): void {
    this.#requests = [];
  }
}
