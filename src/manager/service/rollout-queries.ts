import { defined, EchelonError, mapLimited } from '../../base/index.ts';
import {
  type LiveShard,
  promqlOf,
  type QueryAnswer,
  queryAnswer,
  queryText,
  type ShardFacts,
  type ShardUnderWay,
} from '../../rollouts/index.ts';
import { podsOn } from '../rollout/live-shard.ts';
import type { Scope } from '../rollout/scope-facts.ts';
import type { RolloutPorts } from './rollout-ports.ts';

interface Answers {
  /** By `shardKey`. */
  readonly byShard: ReadonlyMap<string, Pick<LiveShard, 'queries' | 'queryTexts'>>;
  /** Why none of the queries could be answered. */
  readonly fault?: string;
}

interface Answer {
  readonly answer: QueryAnswer;
  /** What it gave instead of what was expected. */
  readonly text?: string;
}

const QUERIES_AT_ONCE = 8;
const NO_PODS: Answer = { answer: 'unknown', text: 'no pod runs the image yet' };
const NOT_ASKED: Answer = { answer: 'unknown', text: 'not asked, since no query was answered' };

/** Asks for the health of the shards under way. */
export async function answersFor(
  underWay: readonly ShardUnderWay[],
  scopes: readonly Scope[],
  { query }: RolloutPorts,
  signal: AbortSignal,
): Promise<Answers> {
  if (query === undefined) return { byShard: new Map(), fault: 'no Prometheus is given: pass --prometheus' };
  const asked = askedPrometheus(query, signal);
  const shards = underWay.filter(({ queries }) => queries.length > 0);
  const answers = await mapLimited(shards, QUERIES_AT_ONCE, async ({ environment, shard, queries }) => {
    const scope = scopes.find(({ facts }) => facts.environment === environment);
    const workload = scope?.shards.get(shard.id)?.workload;
    if (workload === undefined) return [shardKey(environment, shard), {}] as const;
    const { integration, shard: name, cluster, namespace, live } = shard;
    const subject = { integration, shard: name, cluster, namespace, image: live?.image ?? '', pods: podsOn(workload) };
    const own = await mapLimited(queries, 1, async (one) => {
      const promql = promqlOf(one, subject);
      return [one.name, promql === undefined ? NO_PODS : await asked.answer(promql, one)] as const;
    });
    return [shardKey(environment, shard), answersOf(own)] as const;
  });
  return { byShard: new Map(answers), ...defined({ fault: asked.fault() }) };
}

function answersOf(
  own: readonly (readonly [name: string, answer: Answer])[],
): Pick<LiveShard, 'queries' | 'queryTexts'> {
  return {
    queries: Object.fromEntries(own.map(([name, { answer }]) => [name, answer])),
    queryTexts: Object.fromEntries(own.flatMap(([name, { text }]) => (text === undefined ? [] : [[name, text]]))),
  };
}

/** A query that fails is unknown: it credits nothing and fails nothing (D5). After several, with no answer, none is sent. */
function askedPrometheus(query: NonNullable<RolloutPorts['query']>, signal: AbortSignal) {
  const failures: EchelonError[] = [];
  let answered = 0;
  return {
    answer: async (promql: string, one: Parameters<typeof queryAnswer>[0]): Promise<Answer> => {
      if (answered === 0 && failures.length >= QUERIES_AT_ONCE) return NOT_ASKED;
      try {
        const samples = await query(promql, signal);
        answered += 1;
        const answer = queryAnswer(one, samples);
        return answer === 'expected' ? { answer } : { answer, text: queryText(one, samples) };
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof EchelonError)) throw thrown;
        failures.push(thrown);
        return { answer: 'unknown', text: thrown.message };
      }
    },
    fault: (): string | undefined => (answered === 0 ? failures[0]?.message : undefined),
  };
}

export function withAnswers(scope: Scope, { byShard, fault }: Answers): Scope {
  const { environment } = scope.facts;
  const answered = (facts: ShardFacts): ShardFacts => {
    const answers = byShard.get(shardKey(environment, facts));
    return facts.live === undefined || answers === undefined
      ? facts
      : { ...facts, live: { ...facts.live, ...answers } };
  };
  const shards = scope.facts.shards.map(answered);
  return { ...scope, facts: { ...scope.facts, shards, ...defined({ queriesFault: fault }) } };
}

/** Unique over environments. */
export function shardKey(environment: string, { id }: Pick<ShardFacts, 'id'>): string {
  return JSON.stringify([environment, id]);
}
