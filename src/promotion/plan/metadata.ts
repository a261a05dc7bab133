import * as z from 'zod';
import type { PromotionPlan } from './make-plan.ts';

const MARKER = 'echelon:promotion';

const shape = z.object({
  version: z.literal(1),
  upstream: z.string(),
  commit: z.string(),
  targets: z.array(z.string()),
});

/** What a merge request records for the next run. */
export type PromotionMetadata = z.infer<typeof shape>;

export function metadataOf({ upstream, version, targets }: PromotionPlan): PromotionMetadata {
  return { version: 1, upstream: upstream.name, commit: version.commit, targets: [...targets] };
}

/** A hidden HTML comment. Its content cannot end the comment. */
export function metadataBlock(metadata: PromotionMetadata): string {
  const text = JSON.stringify(metadata).replaceAll('>', '\\u003e').replaceAll('--', '-\\u002d');
  return `<!-- ${MARKER} ${text} -->`;
}

/** The first valid block of a description; undefined if it has none. */
export function readMetadata(description: string): PromotionMetadata | undefined {
  const found = new RegExp(`<!-- ${MARKER} (\\{.*?\\}) -->`, 's').exec(description)?.[1];
  return found === undefined ? undefined : parsed(found);
}

/** The line of a commit message that says what was promoted. */
export function metadataLine(metadata: PromotionMetadata): string {
  return `Echelon-Promotion: ${JSON.stringify(metadata)}`;
}

export function readMetadataLine(message: string): PromotionMetadata | undefined {
  const found = /^Echelon-Promotion: (\{.*\})$/m.exec(message)?.[1];
  return found === undefined ? undefined : parsed(found);
}

function parsed(text: string): PromotionMetadata | undefined {
  try {
    const result = shape.safeParse(JSON.parse(text));
    return result.success ? result.data : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a newer promotion does everything that an older one would have done. */
export function supersedes(newer: PromotionMetadata, older: PromotionMetadata): boolean {
  return newer.upstream === older.upstream && older.targets.every((target) => newer.targets.includes(target));
}
