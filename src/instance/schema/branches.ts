import type { ErrorObject } from 'ajv';

/**
 * A value that fits no branch of `oneOf` or `anyOf` fails every branch, and only the branch that was meant is worth
 * reporting: the one that came furthest into the data, then the one with the fewest complaints.
 */
export function meantErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  let kept = [...errors];
  for (const choice of errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')) {
    const branches = branchesOf(choice, kept);
    if (branches.length === 0) continue;
    const [meant] = branches.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
    const others = new Set(branches.filter((branch) => branch !== meant).flat());
    kept = kept.filter((error) => error !== choice && !others.has(error));
  }
  return kept;
}

function branchesOf(choice: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[][] {
  const branches = new Map<string, ErrorObject[]>();
  const options = choice.schema as readonly unknown[];
  for (const error of errors) {
    if (error === choice || !isBelow(error.instancePath, choice.instancePath)) continue;
    const index = branchIndex(error, choice, options);
    if (index !== undefined) branches.set(index, [...(branches.get(index) ?? []), error]);
  }
  return [...branches.values()];
}

/** Errors inside a referred schema carry that schema's path; they belong to the branch that refers to it. */
function branchIndex(error: ErrorObject, choice: ErrorObject, options: readonly unknown[]): string | undefined {
  const inline = `${choice.schemaPath}/`;
  if (error.schemaPath.startsWith(inline)) return error.schemaPath.slice(inline.length).split('/')[0];
  const at = options.findIndex((option) => {
    const target = (option as { $ref?: unknown } | null)?.$ref;
    return typeof target === 'string' && error.schemaPath.startsWith(target);
  });
  return at === -1 ? undefined : String(at);
}

function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

function depth(branch: readonly ErrorObject[]): number {
  return Math.max(...branch.map(({ instancePath }) => instancePath.split('/').length));
}
