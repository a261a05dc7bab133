import { defined, EchelonError } from '../../base/index.ts';
import { PROMOTION_FILE, type PromotionConfig } from './promotion-file.ts';

export function missingConfig(): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_FILE_MISSING',
    message: `no ${PROMOTION_FILE} in the root of the instance`,
    hint: 'create one with: echelon promote init, and review it',
  });
}

/** Schemas can be promoted without `promotion.yml`: `.env` has all that is needed. */
export function withSchemas(config: PromotionConfig | undefined, env: ReadonlyMap<string, string>): PromotionConfig {
  if (config?.upstreams['schemas'] !== undefined) return config;
  const url = env.get('SCHEMAS_REPO');
  if (url === undefined || !env.has('SCHEMAS_IMAGE_TAG')) {
    throw new EchelonError({
      code: 'UPSTREAM_UNKNOWN',
      message: `neither ${PROMOTION_FILE} has an upstream schemas nor .env has SCHEMAS_REPO and SCHEMAS_IMAGE_TAG`,
      hint: 'add them to .env, or the upstream to promotion.yml',
    });
  }
  const image = env.get('SCHEMAS_IMAGE');
  const base = config ?? { upstreams: {}, labels: [], branchPrefix: 'promote-', targets: [] };
  return {
    ...base,
    upstreams: { ...base.upstreams, schemas: { url, ...defined({ image }) } },
    targets: [
      ...base.targets,
      {
        name: 'schemas-checks',
        upstream: 'schemas',
        file: '.env',
        key: 'SCHEMAS_IMAGE_TAG',
        form: 'short',
        required: true,
      },
    ],
  };
}
