export type JobSide = 'baseline' | 'candidate';

/** On the Jobs of a shadow and on their pods, which have no other labels. */
export const SHADOW_LABEL = {
  run: 'echelon/shadow-run',
  side: 'echelon/shadow-side',
  owner: 'echelon/shadow-owner',
} as const;
/** On the Jobs: what they compare, and who started them. */
export const SHADOW_ANNOTATION = {
  integration: 'echelon/shadow-integration',
  shard: 'echelon/shadow-shard',
  id: 'echelon/shadow-id',
  image: 'echelon/shadow-image',
  at: 'echelon/shadow-at',
  process: 'echelon/shadow-process',
} as const;

/** Finds the Jobs of an owner. */
export function shadowSelector(owner: string): string {
  return `${SHADOW_LABEL.owner}=${owner}`;
}
