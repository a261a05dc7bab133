import type { ProxiedRequest } from './fault-proxy.ts';

export type Onward = 'on' | 'reset';

export interface HeldRequests {
  /** All that were held, in order of arrival at the point where they are held. */
  readonly held: readonly ProxiedRequest[];
  /** Resolves as soon as so many were held. */
  arrived(count?: number): Promise<void>;
  /**
   * Holds no more, and lets those that are held go on, even if their client has given up: a packet that is late. Resolves when
   * the server has answered all of them.
   */
  release(): Promise<void>;
  /** Holds no more, and resets the connections of those that are held. */
  reset(): void;
}

export interface Holding {
  /** Resolves when the request may go on. */
  wait(request: ProxiedRequest): Promise<Onward>;
  readonly requests: HeldRequests;
}

export function holding(ended: () => void): Holding {
  const held: ProxiedRequest[] = [];
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  const gate = Promise.withResolvers<Onward>();
  const wake = (): void => {
    for (const { count, resolve } of waiting) if (held.length >= count) resolve();
  };
  const end = (how: Onward): void => {
    ended();
    gate.resolve(how);
  };
  return {
    wait: (request) => {
      held.push(request);
      wake();
      return gate.promise;
    },
    requests: {
      held,
      arrived: (count = 1) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add({ count, resolve });
        wake();
        return promise;
      },
      release: async () => {
        end('on');
        await Promise.all(held.map(({ answered }) => answered));
      },
      reset: () => end('reset'),
    },
  };
}
