import type { ErrorObject } from 'ajv';

/** What a schema says of a value, in the order of its keywords. */
export type ErrorsOf = (schema: unknown, value: unknown) => readonly ErrorObject[];

/**
 * A value that fits no branch of `oneOf` or `anyOf` fails every branch, and only the branch that was meant is worth
 * reporting.
 *
 * The complaints of all branches stand right before the choice, but do not tell which branch they are of. So each
 * branch is tried once more by itself, which also tells how many there are.
 */
export function meantErrors(errors: readonly ErrorObject[], errorsOf: ErrorsOf): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (let at = errors.length - 1; at >= 0; at -= 1) {
    const error = errors[at] as ErrorObject;
    if (error.keyword === 'oneOf' || error.keyword === 'anyOf') {
      const branches = triedBranches(error).map((branch) => errorsOf(branch, error.data));
      at -= branches.flat().length;
      kept.unshift(...meantOf(error, branches, errorsOf));
    } else {
      if (error.keyword === 'contains') at -= itemErrors(errors, at);
      kept.unshift(error);
    }
  }
  return kept;
}

/** A value that fits two branches of `oneOf` is not tried against those after. */
function triedBranches({ schema, params }: ErrorObject): readonly unknown[] {
  const passing = params['passingSchemas'] as readonly number[] | null | undefined;
  return (schema as readonly unknown[]).slice(0, passing ? Math.max(...passing) + 1 : undefined);
}

function meantOf(
  choice: ErrorObject,
  branches: readonly (readonly ErrorObject[])[],
  errorsOf: ErrorsOf,
): readonly ErrorObject[] {
  if (branches.some((branch) => branch.length === 0)) return [choice];
  const told = branches.map((branch) => meantErrors(branch, errorsOf));
  const meant = unknownKind(told) ?? likeliest(told);
  return meant.map((error) => ({ ...error, instancePath: `${choice.instancePath}${error.instancePath}` }));
}

/** The branch that came furthest into the data, then the one with the fewest complaints; of its own kind, if any is. */
function likeliest(branches: readonly (readonly ErrorObject[])[]): readonly ErrorObject[] {
  const ownKind = branches.filter((branch) => kindError(branch) === undefined);
  const [meant = []] = (ownKind.length > 0 ? ownKind : branches).toSorted(
    (a, b) => depth(b) - depth(a) || a.length - b.length,
  );
  return meant;
}

/** Where a field such as `provider` names the branch and has no known value, that is all there is to say. */
function unknownKind(branches: readonly (readonly ErrorObject[])[]): readonly ErrorObject[] | undefined {
  const errors = branches.map(kindError);
  const [first] = errors;
  if (first === undefined || errors.some((error) => error?.instancePath !== first.instancePath)) return undefined;
  const allowedValues = errors.flatMap((error) => (error === undefined ? [] : kindsOf(error)));
  return [{ ...first, keyword: 'enum', params: { allowedValues, namesBranch: true } }];
}

/** A field of the value itself that this branch allows one value for names the branch. */
function kindError(branch: readonly ErrorObject[]): ErrorObject | undefined {
  return branch.find(
    (error) =>
      /^\/[^/]+$/.test(error.instancePath) && (kindsOf(error).length === 1 || error.params['namesBranch'] === true),
  );
}

function kindsOf({ keyword, params }: ErrorObject): readonly unknown[] {
  if (keyword === 'const') return [params['allowedValue']];
  return keyword === 'enum' ? (params['allowedValues'] as readonly unknown[]) : [];
}

/** How many errors before that of a `contains` say of each item that it is not the one. */
function itemErrors(errors: readonly ErrorObject[], at: number): number {
  const inside = `${errors[at]?.schemaPath}/`;
  let count = 0;
  while (errors[at - count - 1]?.schemaPath.startsWith(inside)) count += 1;
  return count;
}

function depth(branch: readonly ErrorObject[]): number {
  return Math.max(...branch.map(({ instancePath }) => instancePath.split('/').length));
}
