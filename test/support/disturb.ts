import type { Random } from '../../src/runtime/index.ts';
import type { Fault, FaultProxy } from './fault-proxy.ts';
import { Tally } from './upgrade-simulation-tally.ts';

const FAULTS: Readonly<Record<string, Fault>> = {
  throttled: { status: 429, headers: { 'retry-after': '1' } },
  failed: { status: 500 },
  unavailable: { status: 503, headers: { 'retry-after': '1' } },
  reset: 'reset',
  'response lost': 'lost response',
};
const KINDS = Object.keys(FAULTS);

export interface Disturbance {
  /** Of all requests. */
  readonly share: number;
  /** No method and path are disturbed more often than this. With 4, a client that makes five attempts always gets through. */
  readonly most?: number;
  readonly random: Random;
  count(kind: string): void;
}

/** Disturbs a share of the requests, with every kind of fault equally often, until it is stopped. */
export function disturb(proxy: FaultProxy, { share, most, random, count }: Disturbance): { stop(): void } {
  const disturbed = new Tally();
  const fault = proxy.add({ times: Number.POSITIVE_INFINITY }, ({ method, path }) => {
    const [key, drawn] = [`${method} ${path}`, random()];
    const kind = KINDS[Math.floor((drawn / share) * KINDS.length)];
    if (kind === undefined || disturbed.of(key) >= (most ?? Number.POSITIVE_INFINITY)) return undefined;
    disturbed.count(key);
    count(kind);
    return FAULTS[kind];
  });
  return { stop: fault.remove };
}
