import { SemVer } from 'semver';
import type { Brand } from '../../base/index.ts';
import { memoize } from '../../base/index.ts';

/** A complete semantic version such as `4.14.0-rc.2`; no prefix, no part missing. */
export type Version = Brand<string, 'Version'>;

/** Of a cluster that has no valid one. Lower than all others: it is not known to have reached any. */
export const UNKNOWN_VERSION = '0.0.0-unknown' as Version;

const MAX_KNOWN = 10_000;
const STARTS_WITH_DIGIT_AND_HAS_NO_BLANK = /^\d\S*$/;

const parse = memoize(MAX_KNOWN, (text): SemVer | null => {
  if (!STARTS_WITH_DIGIT_AND_HAS_NO_BLANK.test(text)) return null;
  try {
    return new SemVer(text);
  } catch {
    return null;
  }
});

export function isVersion(text: string): text is Version {
  return parse(text) !== null;
}

/** Negative when `a` comes first. Pre-releases come before the release; build metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
  const [left, right] = [parse(a), parse(b)];
  if (left === null || right === null) throw new TypeError(`${left === null ? a : b} is not a version`);
  return left.compare(right);
}

/** Compares texts of versions; invalid ones come last, ordered as text. */
export function compareVersionTexts(a: string, b: string): number {
  if (isVersion(a) && isVersion(b)) return compareVersions(a, b);
  if (isVersion(a) !== isVersion(b)) return isVersion(a) ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

/** Ascending; versions of equal precedence keep their order. */
export function sortVersions(versions: readonly Version[]): Version[] {
  return versions.toSorted(compareVersions);
}

export function lowestVersion(versions: Iterable<Version>): Version | undefined {
  let lowest: Version | undefined;
  for (const version of versions) {
    if (lowest === undefined || compareVersions(version, lowest) < 0) lowest = version;
  }
  return lowest;
}

/** Keeps the lower of the stored and the given version. */
export function keepLower(lowest: Map<string, Version>, key: string, version: Version): void {
  const known = lowest.get(key);
  if (known === undefined || compareVersions(version, known) < 0) lowest.set(key, version);
}

/** `4.14` of `4.14.3`. */
export function minorOf(version: Version): string {
  return minor(version);
}

const minor = memoize(MAX_KNOWN, (version): string => {
  const parsed = parse(version);
  return parsed === null ? version : `${parsed.major}.${parsed.minor}`;
});
