/** A request that reached the simulator. */
export interface RecordedRequest {
  readonly environment: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** `labels`, `clusters/upgrade_policies`, `token`; empty where the path leads nowhere. */
  readonly collection: string;
  /** On the clock of the simulator. */
  readonly at: Date;
  /** 0 when there was no answer. */
  readonly status: number;
}

const MAX_REQUESTS = 100_000;

/** The last requests, in the order they came. */
export class RequestLog {
  #requests: RecordedRequest[] = [];

  get all(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** Returns what notes the answer. */
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
