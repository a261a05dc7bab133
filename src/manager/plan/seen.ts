import { defined } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { fingerprint } from './object-hash.ts';
import type { Seen } from './plan-item.ts';

/** Identifies the observed state of an object. */
export function seenOf(live: KubeObject): Seen {
  return { ...defined(versionOf(live)), fingerprint: fingerprint(live) };
}

export function versionOf({ metadata: { uid, resourceVersion } }: KubeObject): Pick<Seen, 'uid' | 'resourceVersion'> {
  return { uid, resourceVersion } as { uid?: string; resourceVersion?: string };
}
