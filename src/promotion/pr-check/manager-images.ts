import type { Instance, SaasTarget } from '../../instance/index.ts';

/** The image that a manager is deployed with and passes on to its workloads. */
type ManagerImage = Readonly<Record<'IMAGE_TAG', string> & Partial<Record<'IMAGE_DIGEST', string>>>;

const COMMIT = /^[0-9a-f]{40}$/;
const HASH_LENGTH = 7;

/**
 * The images of an upstream's managers by environment, from the saas files that deploy them: a promotion changes nothing
 * else. A target sets its tag, or the tag is the abbreviated commit that it deploys.
 */
export function managerImages(instance: Instance, upstream: string): ReadonlyMap<string, ManagerImage> {
  const targets = instance.saasFiles.flatMap((file) =>
    file.templates.flatMap((template) =>
      template.targets
        .filter(({ disable, delete: gone }) => !disable && !gone)
        .map((target) => ({
          parameters: { ...file.parameters, ...template.parameters, ...target.parameters },
          short: shortCommit(target.ref, template.hashLength ?? instance.settings?.hashLength ?? HASH_LENGTH),
        })),
    ),
  );
  return new Map(
    targets.flatMap(({ parameters, short }) => {
      const { ENVIRONMENT_NAME: environment, INTEGRATIONS_MANAGER_UPSTREAM: ours } = parameters;
      const image = imageIn(parameters, short);
      const usable = ours === upstream && typeof environment === 'string' && image !== undefined;
      return usable ? [[environment, image] as const] : [];
    }),
  );
}

/** The tag of a branch is unknown. */
function shortCommit(ref: string, length: number): string | undefined {
  return COMMIT.test(ref) ? ref.slice(0, length) : undefined;
}

function imageIn(parameters: SaasTarget['parameters'], short: string | undefined): ManagerImage | undefined {
  const { IMAGE_TAG: named, IMAGE_DIGEST: digest } = parameters;
  const tag = named === undefined ? short : String(named);
  if (tag === undefined) return undefined;
  return { IMAGE_TAG: tag, ...(typeof digest === 'string' ? { IMAGE_DIGEST: digest } : {}) };
}
