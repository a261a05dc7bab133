import { DEFAULT_UPSTREAM } from '../../instance/index.ts';
import type { ManagedShards } from './group.ts';

/** The capability of an integration that answers `/healthz` on its port; one that serves only metrics must not be probed. */
const HEALTHZ = '/healthz';

/** The images whose integrations all serve it: that of existing fleets, which answers every path, and Echelon's own. */
const KNOWN_IMAGES: readonly string[] = ['qontract-reconcile', 'echelon'];

/**
 * Whether the pods of an integration can be probed: as declared, else by its upstream, else by the image repository that the
 * manager is given, in any registry.
 */
export function servesHealthz(
  { integration: { upstream }, capabilities }: Pick<ManagedShards, 'integration' | 'capabilities'>,
  image: string | undefined,
): boolean {
  if (capabilities !== undefined) return capabilities.includes(HEALTHZ);
  if (upstream === DEFAULT_UPSTREAM) return true;
  return image === undefined ? upstream === undefined : KNOWN_IMAGES.includes(image.split('/').at(-1) ?? '');
}
