import * as z from 'zod';
import { byText, defined } from '../base/index.ts';
import { type Instant, instantText, MICROS, parseInstant, type Sighting, type Soak } from '../gates/index.ts';
import type { Ledger, Minima } from './engine/soak.ts';
import { isVersion, type Version } from './engine/versions.ts';
import type { ClusterUuid } from './policies/org-spec.ts';

/** A semantic version, as text. */
export const versionShape = z.custom<Version>(
  (value) => typeof value === 'string' && isVersion(value),
  'it must be a semantic version such as 4.14.3',
);

/** A time in ISO 8601, in UTC where no zone is given. */
export const instantShape = z.string().transform((text, context): Instant => {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  context.addIssue({ code: 'custom', message: 'it must be a time such as 2024-03-01T10:00:00Z' });
  return z.NEVER;
});

const minimaShape = z.object({
  min_version: versionShape,
  min_version_per_workload: z.record(z.string(), versionShape),
});

/**
 * The stored history: the existing scheduler's format, plus sightings of healthy clusters and what is known of a clock
 * behind the check-in, which that scheduler drops.
 */
export const stateShape = z.object({
  check_in: instantShape.exactOptional(),
  versions: z
    .record(
      z.string(),
      z.object({
        workloads: z.record(z.string(), z.object({ soak_days: z.number(), reporting: z.array(z.string()) })),
      }),
    )
    .default({}),
  stats: minimaShape.extend({ inherited: minimaShape.exactOptional() }).exactOptional(),
  healthy: z.record(z.string(), z.object({ version: versionShape, workloads: z.array(z.string()) })).default({}),
  clock_behind: z.object({ at: instantShape, observed_days: z.number().nonnegative() }).exactOptional(),
});

/** The stored form of a history, with keys sorted where order does not matter. */
export interface StateJson {
  readonly check_in?: string;
  readonly versions: Readonly<Record<string, { readonly workloads: Readonly<Record<string, SoakJson>> }>>;
  readonly stats?: MinimaJson & { readonly inherited?: MinimaJson };
  readonly healthy?: Readonly<Record<string, Sighting>>;
  readonly clock_behind?: { readonly at: string; readonly observed_days: number };
}

interface SoakJson {
  readonly soak_days: number;
  readonly reporting: readonly string[];
}

interface MinimaJson {
  readonly min_version: string;
  readonly min_version_per_workload: Readonly<Record<string, string>>;
}

export function ledgerOf(state: z.infer<typeof stateShape>): Ledger {
  const { check_in: checkIn, versions, stats, healthy, clock_behind: behind } = state;
  return {
    ...defined({ checkIn }),
    versions: new Map(
      Object.entries(versions).map(([version, { workloads }]) => [
        version,
        new Map(Object.entries(workloads).map(([workload, soak]) => [workload, soakOf(soak)])),
      ]),
    ),
    ...(stats === undefined ? {} : { minima: minimaOf(stats) }),
    ...(stats?.inherited === undefined ? {} : { inheritedMinima: minimaOf(stats.inherited) }),
    sightings: new Map(Object.entries(healthy).map(([uuid, sighting]) => [uuid as ClusterUuid, sighting])),
    ...(behind === undefined ? {} : { behind: { at: behind.at, micros: microsOf(behind.observed_days) } }),
  };
}

function soakOf({ soak_days: days, reporting }: SoakJson): Soak {
  return { micros: microsOf(days), reporting: new Set(reporting) };
}

function microsOf(days: number): number {
  return Math.round(days * MICROS.day);
}

function minimaOf(stats: z.infer<typeof minimaShape>): Minima {
  return { all: stats.min_version, perWorkload: new Map(Object.entries(stats.min_version_per_workload)) };
}

/** The stored part of a history; inherited soak is not stored. */
export function stateOf(ledger: Ledger): StateJson {
  const { checkIn, versions, minima, sightings, behind } = ledger;
  return {
    ...(checkIn === undefined ? {} : { check_in: instantText(checkIn) }),
    ...(behind === undefined
      ? {}
      : { clock_behind: { at: instantText(behind.at), observed_days: behind.micros / MICROS.day } }),
    ...(sightings.size === 0 ? {} : { healthy: sorted(sightings, (sighting) => sighting) }),
    ...(minima === undefined ? {} : { stats: minimaJson(minima) }),
    versions: sorted(versions, (workloads) => ({
      workloads: sorted(workloads, ({ micros, reporting }) => ({
        reporting: [...reporting],
        soak_days: micros / MICROS.day,
      })),
    })),
  };
}

function minimaJson({ all, perWorkload }: Minima): MinimaJson {
  return { min_version: all, min_version_per_workload: sorted(perWorkload, (version) => version) };
}

function sorted<From, To>(map: ReadonlyMap<string, From>, to: (value: From) => To): Record<string, To> {
  const entries = [...map].sort(([a], [b]) => byText(a, b));
  return Object.fromEntries(entries.map(([key, value]) => [key, to(value)]));
}
