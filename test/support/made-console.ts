import { setTimeout as sleepFor } from 'node:timers/promises';
import {
  createWatch,
  FEED_PATH,
  respond,
  SECURITY_HEADERS,
  type ShardsData,
  type UpgradesData,
} from '../../src/console/index.ts';
import { instantOf } from '../../src/gates/index.ts';
import { servePages } from '../../src/runtime/index.ts';
import { MADE_AT } from './made-fleet.ts';
import { until } from './until.ts';

/** A console that observes what a test says. */
export interface MadeConsole {
  readonly url: string;
  /** Path and query of every page that was asked for, with the length of the answer. */
  readonly answers: { readonly target: string; readonly bytes: number }[];
  /** Another observation, so many seconds after the last one. */
  observe(data: { readonly upgrades?: UpgradesData; readonly shards?: ShardsData }, seconds: number): void;
  stop(): Promise<void>;
}

export async function madeConsole(upgrades: UpgradesData, shards: ShardsData): Promise<MadeConsole> {
  const ended = new AbortController();
  let now = MADE_AT / 1_000;
  let seen = { upgrades, shards };
  let wake = (): void => undefined;
  const clock = { now: () => new Date(now) };
  const watch = createWatch({
    upgrades: async () => ({ kind: 'seen', data: seen.upgrades }),
    shards: async () => ({ kind: 'seen', data: seen.shards }),
    ...{ refreshSeconds: 3_600, clock, signal: ended.signal, onChange: () => undefined },
    sleep: (milliseconds, signal) => {
      const woken = new AbortController();
      wake = () => woken.abort();
      return sleepFor(milliseconds, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch((thrown) => {
        if (signal.aborted) throw thrown;
      });
    },
  });
  const answers: { target: string; bytes: number }[] = [];
  const server = await servePages({
    ...{ listen: { host: '127.0.0.1', port: 0 }, access: { hostNames: [] } },
    ...{ headers: { always: SECURITY_HEADERS, secure: {} }, onFault: console.error },
    respond: (request) => {
      const answer = respond(request, watch.state(), instantOf(now));
      answers.push({ target: request.target, bytes: answer.body.length });
      return answer;
    },
    feed: { path: FEED_PATH, current: watch.current, subscribe: watch.subscribe },
  });
  const running = watch.run();
  await until(() => watch.state().shards.kind === 'known' && watch.state().upgrades.kind === 'known', {
    what: 'both halves are observed',
  });
  return {
    url: server.url.replace(/\/$/, ''),
    answers,
    observe: (data, seconds) => {
      seen = { ...seen, ...data };
      now += seconds * 1_000;
      wake();
    },
    stop: async () => {
      ended.abort();
      await running;
      await server.close();
    },
  };
}
