/** The part of a request that pages depend on. */
export interface PageRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
}

export interface PageResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}
