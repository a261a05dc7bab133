import type { ReadingRules } from '../read/classify.ts';
import { maskOf, patternOf } from './patterns.ts';

/** Where an instance declares how the output of its integrations is compared. */
export const SHADOW_RESOURCE = '/echelon/shadow.yml';

/** What `shadow.yml` declares about one integration. Patterns are RE2. */
export interface IntegrationRules {
  readonly actions?: readonly string[];
  readonly ignore?: readonly string[];
  readonly masks?: readonly { readonly pattern: string; readonly with: string }[];
  readonly inconclusive?: readonly string[];
  readonly collapseRepeats?: boolean;
}

export interface ShadowFile {
  readonly integrations: Readonly<Record<string, IntegrationRules>>;
}

export const NO_SHADOW_FILE: ShadowFile = { integrations: {} };

/** How the output of an integration is read: as declared, else as existing integrations print it. */
export function readingRules({ integrations }: ShadowFile, integration: string): ReadingRules {
  const own = Object.hasOwn(integrations, integration) ? integrations[integration] : undefined;
  return {
    ...(own?.actions === undefined ? {} : { actions: own.actions.map(patternOf) }),
    ignore: (own?.ignore ?? []).map(patternOf),
    masks: (own?.masks ?? []).map(({ pattern, with: replacement }) => maskOf(pattern, replacement)),
    inconclusive: (own?.inconclusive ?? []).map(patternOf),
    // Terraform retries a whole plan, so that its lines may repeat.
    collapseRepeats: own?.collapseRepeats ?? integration.startsWith('terraform-'),
  };
}
