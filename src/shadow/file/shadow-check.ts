import { suggestions } from '../../base/index.ts';
import { type Instance, type Problem, problemsIn } from '../../instance/index.ts';
import { readShadow, requireShadow } from './read-shadow.ts';
import { NO_SHADOW_FILE, SHADOW_RESOURCE, type ShadowFile } from './shadow-file.ts';

const NAME = `resources${SHADOW_RESOURCE}`;

/** The rules of an instance; those of existing integrations where it has no file. Throws SHADOW_INVALID. */
export function shadowFileOf({ snapshot }: Pick<Instance, 'snapshot'>): ShadowFile {
  const content = snapshot.echelonFiles.get(SHADOW_RESOURCE);
  return content === undefined ? NO_SHADOW_FILE : requireShadow(content, NAME);
}

/** Finds the problems of an instance's shadow.yml, for validation; none where there is no file. */
export function shadowCheck({ snapshot, integrations }: Instance): readonly Problem[] {
  const content = snapshot.echelonFiles.get(SHADOW_RESOURCE);
  if (content === undefined) return [];
  const { file, problems } = readShadow(content, NAME);
  if (file === undefined) return problems;
  const known = new Set(integrations.map(({ name }) => name));
  const suggest = suggestions();
  const unknown = Object.keys(file.integrations).filter((name) => !known.has(name));
  return problemsIn(
    NAME,
    content,
    unknown.map((name) => ({
      rule: 'unknown-integration',
      severity: 'error',
      keys: ['integrations', name],
      at: 'key',
      message: `no integration ${name}`,
      hint: suggest(name, known, 'use the name of an integration'),
    })),
  );
}
