import { defined, EchelonError, mapLimited } from '../../base/index.ts';
import type { Capabilities } from '../../sharding/index.ts';
import { shadowFileOf } from '../file/shadow-check.ts';
import { readingRules } from '../file/shadow-file.ts';
import type { ReadingRules } from '../read/classify.ts';
import type { ShadowShard } from '../run.ts';
import { refuseWriters } from '../writes-in-dry-run.ts';
import { wantedImage } from './candidate-image.ts';
import { type PairPlan, pairNames, planPair } from './plan-pairs.ts';
import type { RunningImage, ShadowPorts } from './ports.ts';
import type { ShadowReport, ShardShadow } from './report.ts';
import { comparePair } from './run-pair.ts';
import { integrationOf, type ShadowSubject, type SubjectScope, subjectsOf } from './subjects.ts';

interface ShadowSettings {
  /** Distinguishes the runs of this process from all others. */
  readonly id: string;
  readonly capabilities?: Capabilities;
}

export interface ShadowRequest extends SubjectScope {
  /** An image, or a tag of the repository that the shard runs. */
  readonly candidate: string;
  /** The image that the shard runs when absent. */
  readonly baseline?: string;
  /** Runs of the baseline before, which show how it differs from itself. */
  readonly repeat: number;
  /** Shards at the same time, each with two runs. */
  readonly jobs: number;
  /** Seconds per run. */
  readonly timeout: number;
  readonly onResult: (result: ShardShadow) => void;
}

/** Compares what two images of an integration would do: the only assembly of that job. Starts nothing but dry runs. */
interface Shadow {
  compare(request: ShadowRequest): Promise<ShadowReport>;
}

export function openShadow(settings: ShadowSettings, ports: ShadowPorts): Shadow {
  return { compare: (request) => compare(settings, ports, request) };
}

async function compare(
  { id, capabilities }: ShadowSettings,
  ports: ShadowPorts,
  request: ShadowRequest,
): Promise<ShadowReport> {
  const { instance } = ports;
  const integration = integrationOf(instance, request.integration);
  refuseWriters(integration, capabilities);
  const rules = readingRules(shadowFileOf(instance), integration.name);
  const subjects = subjectsOf(instance, integration, request, capabilities);
  const running = await imagesOf(ports, request, subjects);
  const names = pairNames(integration.name, subjects);
  const planned = subjects.map((subject, at) => {
    const baseline = baselineOf(request, subject, running);
    const candidate = wantedImage(request.candidate, baseline.image, '--candidate');
    const images = { baseline: baseline.image, candidate };
    const plan = { integration: integration.name, images, repeat: request.repeat, id, name: names[at] ?? '' };
    return { subject, plan, note: baseline.note };
  });
  const compared = await mapLimited(
    planned,
    request.jobs,
    async ({ subject, plan, note }, _, signal) => {
      const result = await compareShard(ports, request, { subject, plan, note, rules, signal });
      request.onResult(result);
      return result;
    },
    ports.signal,
  );
  const changed = await ports.dataChanged();
  const shards = changed === undefined ? compared : compared.map((shard) => onOtherData(shard, changed));
  return { integration: integration.name, revision: instance.snapshot.revision.id, repeat: request.repeat, shards };
}

async function imagesOf(
  ports: ShadowPorts,
  { baseline, integration }: ShadowRequest,
  subjects: readonly ShadowSubject[],
): Promise<(shard: ShadowShard) => RunningImage | undefined> {
  const isWhole = baseline !== undefined && /[/:]/.test(baseline.split('@')[0] ?? '');
  if (isWhole) return () => undefined;
  return ports.runningImages(
    integration,
    subjects.map(({ shard }) => shard),
  );
}

function baselineOf(
  { baseline }: ShadowRequest,
  { shard }: ShadowSubject,
  running: (shard: ShadowShard) => RunningImage | undefined,
): RunningImage {
  const found = running(shard);
  if (baseline !== undefined) return { image: wantedImage(baseline, found?.image, '--baseline') };
  if (found !== undefined) return found;
  throw new EchelonError({
    code: 'SHADOW_NO_BASELINE',
    message: `no image known that shard ${shard.name} runs in ${shard.cluster}/${shard.namespace}`,
    hint: 'pass it with --baseline IMAGE',
  });
}

interface PlannedShard {
  readonly subject: ShadowSubject;
  readonly plan: PairPlan;
  readonly note: string | undefined;
  readonly rules: ReadingRules;
  readonly signal: AbortSignal;
}

async function compareShard(
  { runner }: ShadowPorts,
  { timeout }: ShadowRequest,
  { subject, plan, note, rules, signal }: PlannedShard,
): Promise<ShardShadow> {
  const pair = planPair(subject, plan);
  const { comparison, baseline, candidate } = await comparePair(runner, pair, {
    rules,
    timeoutMs: timeout * 1000,
    signal,
  });
  return {
    shard: subject.shard,
    comparison: note === undefined ? comparison : { ...comparison, notes: [note, ...comparison.notes] },
    runs: {
      baseline: { image: plan.images.baseline, seconds: baseline.seconds, ...defined({ log: baseline.log }) },
      candidate: { image: plan.images.candidate, seconds: candidate.seconds, ...defined({ log: candidate.log }) },
    },
  };
}

/** What was read from different data says nothing about images. */
function onOtherData({ comparison, ...shard }: ShardShadow, why: string): ShardShadow {
  return { ...shard, comparison: { ...comparison, result: 'inconclusive', reasons: [...comparison.reasons, why] } };
}
