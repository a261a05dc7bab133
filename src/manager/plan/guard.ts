import { byText, count } from '../../base/index.ts';

export interface GuardOptions {
  /** Share of the objects that may be deleted or stopped within an hour. */
  readonly maxShare?: number;
  /** This many may always be deleted or stopped. */
  readonly alwaysAllowed?: number;
}

/** An object that exists, or existed within the last hour. */
export interface CountedObject {
  readonly cluster: string;
  /** Absent if not known. */
  readonly environment?: string;
  /** It is deleted or stopped: by this plan, or it was within the last hour. */
  readonly goes?: 'now' | 'before';
}

/** Which count of deletions is too high without consent. */
export interface GuardBreach {
  readonly scope: 'plan' | 'environment' | 'cluster';
  readonly cluster?: string;
  readonly environment?: string;
  /** Objects that are deleted or stopped, including recent ones. */
  readonly deletions: number;
  /** How many of them were deleted or stopped within the last hour. */
  readonly recent: number;
  readonly objects: number;
  readonly allowed: number;
}

const MAX_SHARE = 0.3;
const ALWAYS_ALLOWED = 3;
/** What the record of the last hour can hold. */
const MOST = 15_000;

/**
 * Mass deletion needs consent: within an hour at most 30 % of the objects, or three if that is more, may be deleted or
 * stopped. This is counted in each cluster, in each environment and over the whole plan, so that a wrong filter, an empty
 * instance or a lost file is caught also where every cluster has only a few objects.
 */
export function guardBreaches(objects: readonly CountedObject[], options: GuardOptions = {}): GuardBreach[] {
  const scopes = [
    breachIn({ scope: 'plan' }, objects, options),
    ...grouped(objects, ({ environment }) => environment).map(([environment, own]) =>
      breachIn({ scope: 'environment', environment }, own, options),
    ),
    ...grouped(objects, ({ cluster }) => cluster).map(([cluster, own]) =>
      breachIn({ scope: 'cluster', cluster }, own, options),
    ),
  ];
  return scopes.filter((breach) => breach !== undefined);
}

function grouped(
  objects: readonly CountedObject[],
  key: (object: CountedObject) => string | undefined,
): [string, CountedObject[]][] {
  const groups = [...Map.groupBy(objects, key)].flatMap(([name, own]): [string, CountedObject[]][] =>
    name === undefined ? [] : [[name, own]],
  );
  return groups.toSorted(([a], [b]) => byText(a, b));
}

function breachIn(
  scope: Pick<GuardBreach, 'scope' | 'cluster' | 'environment'>,
  objects: readonly CountedObject[],
  { maxShare = MAX_SHARE, alwaysAllowed = ALWAYS_ALLOWED }: GuardOptions,
): GuardBreach | undefined {
  const deletions = objects.filter(({ goes }) => goes !== undefined).length;
  const recent = objects.filter(({ goes }) => goes === 'before').length;
  const allowed = Math.min(MOST, Math.max(alwaysAllowed, Math.floor(objects.length * maxShare)));
  if (deletions === recent || deletions <= allowed) return undefined;
  return { ...scope, deletions, recent, objects: objects.length, allowed };
}

/** The breach that an object is part of. */
export function breachFor(breaches: readonly GuardBreach[], object: CountedObject): GuardBreach | undefined {
  return breaches.find(
    ({ cluster, environment }) =>
      (cluster === undefined || cluster === object.cluster) &&
      (environment === undefined || environment === object.environment),
  );
}

/** More image changes than `--max-image-changes` allows. */
export interface ImageBreach {
  readonly scope: 'images';
  readonly imageChanges: number;
  readonly allowed: number;
}

/** `environment prod: 5 of 9 objects would be deleted or stopped (2 of them within the last hour); at most 3 are allowed per hour`. */
export function breachText(breach: GuardBreach | ImageBreach): string {
  if (breach.scope === 'images') {
    const { imageChanges, allowed } = breach;
    return `the whole plan: the image of ${count(imageChanges, 'object')} would change; at most ${allowed} are allowed in one pass`;
  }
  const { deletions, recent, objects, allowed } = breach;
  const before = recent === 0 ? '' : ` (${recent} of them within the last hour)`;
  return `${scopeText(breach)}: ${deletions} of ${count(objects, 'object')} would be deleted or stopped${before}; at most ${allowed} are allowed per hour`;
}

function scopeText({ cluster, environment }: GuardBreach): string {
  if (cluster !== undefined) return `cluster ${cluster}`;
  return environment === undefined ? 'the whole plan' : `environment ${environment}`;
}

/** How to consent. */
export function consentHint({ scope }: GuardBreach | ImageBreach): string {
  const flag = scope === 'images' ? 'a higher --max-image-changes' : '--allow-mass-deletion';
  return `check the instance and the filters; if this is intended, pass ${flag}`;
}
