/** How many commits are between two versions. */
export interface Distance {
  /** Commits that the newer one has in addition, and that it lacks. */
  readonly behind: number;
  readonly ahead: number;
}

/** Distances that were counted before. Between two commits they never change. */
export interface KnownDistances {
  get(upstream: string, from: string, to: string): Distance | undefined;
  set(upstream: string, from: string, to: string, distance: Distance): void;
}

const MOST_KNOWN = 1_000;
const COMMIT = /^[0-9a-f]{7,40}$/;

/** Keeps distances of commits; a branch or a tag may move. */
export function knownDistances(): KnownDistances {
  const known = new Map<string, Distance>();
  return {
    get: (...key) => known.get(JSON.stringify(key)),
    set: (upstream, from, to, distance) => {
      if (!COMMIT.test(from) || !COMMIT.test(to)) return;
      known.set(JSON.stringify([upstream, from, to]), distance);
      const [oldest] = known.keys();
      if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    },
  };
}
