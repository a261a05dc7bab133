import { fileNamePart } from '../../base/index.ts';
import type { ShadowRun, ShadowSide } from '../run.ts';
import type { ShadowPair } from './run-pair.ts';
import { runVariables } from './run-variables.ts';
import { dryRunWords, refuseCommand } from './run-words.ts';
import type { ShadowSubject } from './subjects.ts';

export interface PairPlan {
  readonly integration: string;
  readonly images: Readonly<Record<ShadowSide, string>>;
  /** How often the baseline is run before. */
  readonly repeat: number;
  /** Of this request, for the names of jobs and containers. */
  readonly id: string;
  /** Of the shard's logs: unique in the request. */
  readonly name: string;
}

/** The dry runs of a shard. Only their image, name and job suffix differ. */
export function planPair({ shard, declared, spec }: ShadowSubject, plan: PairPlan): ShadowPair {
  const { integration, images, repeat, id, name } = plan;
  const runOf = (side: ShadowSide, repetition: number): ShadowRun => {
    const own = `${name}_${side}${repetition === 0 ? '' : `.${repetition}`}`;
    const image = images[side];
    const words = dryRunWords(integration, declared.extraArgs, jobSuffix(id, side, repetition));
    refuseCommand(integration, spec.command);
    const variables = runVariables({ spec, shard: declared, words, image });
    return { integration, shard, side, repetition, image, words, variables, name: own };
  };
  return {
    baseline: runOf('baseline', 0),
    candidate: runOf('candidate', 0),
    repetitions: Array.from({ length: repeat }, (_, at) => runOf('baseline', at + 1)),
  };
}

/** Names for the logs of all shards; of equal names each further one has a number. */
export function pairNames(integration: string, subjects: readonly ShadowSubject[]): string[] {
  const taken = new Set<string>();
  return subjects.map(({ shard: { name, environment } }) => {
    const wanted = [integration, environment, name].map(fileNamePart).join('_');
    let own = wanted;
    for (let next = 2; taken.has(own.toLowerCase()); next += 1) own = `${wanted}.${next}`;
    taken.add(own.toLowerCase());
    return own;
  });
}

function jobSuffix(id: string, side: ShadowSide, repetition: number): string {
  return `${id}-${side}${repetition === 0 ? '' : `-${repetition}`}`;
}
