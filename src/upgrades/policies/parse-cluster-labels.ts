import { type Reading, splitCsv } from './csv.ts';
import { CLUSTER_LABELS, type ClusterLabel, clusterKey, type Labels } from './label-keys.ts';
import type { KnownPolicy, UpgradePolicy } from './org-spec.ts';
import {
  checkApprovals,
  checkFreezes,
  checkNames,
  checkPatterns,
  checkSchedule,
  checkSoakDays,
  checkWorkloads,
  type Field,
} from './policy-fields.ts';
import { error, type Fault, hasError } from './problem.ts';
import { parseSoakDays } from './soak-days.ts';
import { unknownLabels } from './unknown-labels.ts';

/** What the labels of a cluster say. `policy` is set only if all of it is valid; `known` is what could be read. */
interface ClusterLabels {
  readonly policy?: UpgradePolicy;
  readonly known: KnownPolicy;
  readonly faults: readonly Fault[];
}

/** Reads the labels of a subscription, under their full keys. Never throws. */
export function parseClusterLabels(labels: Labels, reading: Reading): ClusterLabels {
  const fields = readFields(labels, reading);
  const unknown = reading.strict ? unknownLabels(labels, SUFFIXES) : [];
  return policyFrom(fields, unknown);
}

/** A policy from its fields, with other faults. */
export function policyFrom(fields: PolicyFields, others: readonly Fault[] = []): ClusterLabels {
  const faults = [...Object.values(fields).flatMap((field) => field.faults), ...others];
  const known: KnownPolicy = Object.fromEntries(
    Object.entries(fields).flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])),
  );
  return hasError(faults) || !isPolicy(known) ? { known, faults } : { policy: known, known, faults };
}

type PolicyFields = {
  readonly [Name in keyof Required<UpgradePolicy>]: Field<Required<UpgradePolicy>[Name]>;
};

function isPolicy(known: KnownPolicy): known is UpgradePolicy {
  return known.soakDays !== undefined && known.workloads !== undefined && known.schedule !== undefined;
}

const SUFFIXES = Object.values(CLUSTER_LABELS).map(({ suffix }) => suffix);

function readFields(labels: Labels, reading: Reading): PolicyFields {
  const read = <Value>(name: ClusterLabel, check: (key: string, text: string) => Field<Value>): Field<Value> => {
    const key = clusterKey(name);
    const text = labels[key];
    return text === undefined ? { faults: absent(name, key) } : check(key, text);
  };
  const list = (name: ClusterLabel, check: typeof checkNames): Field<readonly string[]> =>
    read(name, (key, text) => check(key, splitCsv(text, reading), reading));
  return {
    soakDays: read('soakDays', (key, text) => checkSoakDays(key, parseSoakDays(text), reading)),
    workloads: list('workloads', checkWorkloads),
    schedule: read('schedule', (key, text) => checkSchedule(key, text, reading)),
    mutexes: list('mutexes', checkNames),
    sector: read('sector', (_, text) => sectorField(text, reading)),
    blockedVersions: list('blockedVersions', checkPatterns),
    versionGateApprovals: list('versionGateApprovals', checkApprovals),
    freezes: list('freezes', checkFreezes),
  };
}

function absent(name: ClusterLabel, key: string): Fault[] {
  const label = CLUSTER_LABELS[name];
  return 'required' in label ? [error(key, 'the label is missing', `add it: ${label.value}`)] : [];
}

/** A blank text is not a sector. */
function sectorField(text: string, { strict }: Reading): Field<string> {
  if (!strict) return { value: text, faults: [] };
  return text.trim() === '' ? { faults: [] } : { value: text.trim(), faults: [] };
}
