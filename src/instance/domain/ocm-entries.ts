import * as z from 'zod';
import { defined } from '../../base/index.ts';
import { keyPathText } from '../problem.ts';
import { ref, upgradePolicy } from './fields.ts';
import { issueFindings } from './issue-findings.ts';
import { type Reading, report } from './reading.ts';

export const sectorShape = z.object({
  name: z.string(),
  maxParallelUpgrades: z.string().exactOptional(),
  dependencies: z.array(z.object({ name: z.string(), ocm: ref.exactOptional() })).default([]),
});

export const policyClusterShape = z.object({
  name: z.string(),
  serverUrl: z.string().exactOptional(),
  spec: z.object({ id: z.string().exactOptional() }).exactOptional(),
  upgradePolicy,
});

export type RawSector = z.infer<typeof sectorShape>;
export type RawPolicyCluster = z.infer<typeof policyClusterShape>;

/** The valid part of a cluster's invalid policy: enough to keep counting the cluster. */
interface KnownEntry {
  readonly workloads?: readonly string[];
  readonly mutexes?: readonly string[];
  readonly sector?: string;
  readonly blockedVersions?: readonly string[];
}

/** An invalid entry of an organization file. Findings report the same, with its line. */
export interface UnreadEntry {
  readonly list: 'sectors' | 'upgradePolicyClusters';
  /** Its index in the list. */
  readonly index: number;
  /** Absent when its cluster is unknown, or the sector and mutexes in which the cluster counts. */
  readonly cluster?: { readonly name: string; readonly known: KnownEntry };
  readonly faults: readonly { readonly key: string; readonly message: string; readonly hint: string }[];
}

export interface Entries {
  readonly sectors: readonly RawSector[];
  readonly policyClusters: readonly RawPolicyCluster[];
  readonly unread: readonly UnreadEntry[];
}

/** Reads entry by entry: an invalid one is reported and does not affect the others. */
export function readEntries(
  reading: Reading,
  path: string,
  lists: { readonly sectors: readonly unknown[]; readonly upgradePolicyClusters: readonly unknown[] },
): Entries {
  const unread: UnreadEntry[] = [];
  const each = <Shape extends z.ZodType>(list: UnreadEntry['list'], shape: Shape): z.infer<Shape>[] =>
    lists[list].flatMap((value, index): z.infer<Shape>[] => {
      const result = shape.safeParse(value, { reportInput: true });
      if (result.success) return [result.data];
      const findings = issueFindings(reading.written, { path, keys: [list, index] }, result.error.issues);
      report(reading, findings);
      const cluster = list === 'sectors' ? undefined : clusterOf(value);
      const faults = findings.map(({ keys, message, hint }) => ({ key: keyPathText(keys), message, hint }));
      unread.push({ list, index, ...defined({ cluster }), faults });
      return [];
    });
  return {
    sectors: each('sectors', sectorShape),
    policyClusters: each('upgradePolicyClusters', policyClusterShape),
    unread,
  };
}

const texts = z.array(z.string());

/** An unreadable sector or mutex would let other clusters upgrade; unreadable workloads count as all workloads. */
const countable = z.object({
  name: z.string().min(1),
  upgradePolicy: z.object({
    workloads: z.unknown().optional(),
    conditions: z.object({
      mutexes: texts.exactOptional(),
      sector: z.string().exactOptional(),
      blockedVersions: z.unknown().optional(),
    }),
  }),
});

function clusterOf(value: unknown): UnreadEntry['cluster'] {
  const result = countable.safeParse(value);
  if (!result.success) return undefined;
  const { name, upgradePolicy: policy } = result.data;
  const { blockedVersions, ...counted } = policy.conditions;
  const readable = Object.entries({ workloads: policy.workloads, blockedVersions }).flatMap(([key, given]) => {
    const list = texts.safeParse(given);
    return list.success ? [[key, list.data]] : [];
  });
  return { name, known: { ...counted, ...Object.fromEntries(readable) } };
}
