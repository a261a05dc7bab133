import { defined, EchelonError } from '../../base/index.ts';
import { PROMOTION_FILE, type PromotionConfig } from './promotion-file.ts';

export function missingConfig(): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_FILE_MISSING',
    message: `there is no ${PROMOTION_FILE} at the root of the instance`,
    hint: 'write a first one with echelon promote init, and check it',
  });
}

/** Schemas are promoted also where no `promotion.yml` says how: `.env` has all that it needs. */
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
