import type { ErrorObject } from 'ajv';

/** The errors of a schema for a value, in the order of its keywords. */
type ErrorsOf = (schema: unknown, value: unknown) => readonly ErrorObject[];

/**
 * A value that matches no branch of `oneOf` or `anyOf` has errors in every branch, and only those of the intended branch
 * are worth reporting.
 *
 * The errors of all branches come right before that of the choice, but do not name their branch. So each
 * branch is validated again by itself, which also gives the number of its errors.
 */
export function meantErrors(errors: readonly ErrorObject[], errorsOf: ErrorsOf): ErrorObject[] {
  const kept: (readonly ErrorObject[])[] = [];
  for (let at = errors.length - 1; at >= 0; at -= 1) {
    const error = errors[at] as ErrorObject;
    if (error.keyword === 'oneOf' || error.keyword === 'anyOf') {
      const branches = triedBranches(error).map((branch) => errorsOf(branch, error.data));
      at -= branches.reduce((sum, { length }) => sum + length, 0);
      kept.push(meantOf(error, branches, errorsOf));
    } else {
      if (error.keyword === 'contains') at -= itemErrors(errors, at);
      kept.push([error]);
    }
  }
  return kept.reverse().flat();
}

/** After a value matched two branches of `oneOf`, the remaining ones are not validated. */
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

/** The branch whose errors are deepest in the data, then the one with the fewest; of the same kind as the value, if any. */
function likeliest(branches: readonly (readonly ErrorObject[])[]): readonly ErrorObject[] {
  const ownKind = branches.filter((branch) => kindError(branch) === undefined);
  const [meant = []] = (ownKind.length > 0 ? ownKind : branches).toSorted(
    (a, b) => depth(b) - depth(a) || a.length - b.length,
  );
  return meant;
}

/** When a field such as `provider` selects the branch and its value is unknown, only that is reported. */
function unknownKind(branches: readonly (readonly ErrorObject[])[]): readonly ErrorObject[] | undefined {
  const errors = branches.map(kindError);
  const [first] = errors;
  if (first === undefined || errors.some((error) => error?.instancePath !== first.instancePath)) return undefined;
  const allowedValues = errors.flatMap((error) => (error === undefined ? [] : kindsOf(error)));
  return [{ ...first, keyword: 'enum', params: { allowedValues, namesBranch: true } }];
}

/** A field for which the branch allows a single value selects the branch. */
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

/** How many errors before that of a `contains` are about its items. */
function itemErrors(errors: readonly ErrorObject[], at: number): number {
  const inside = `${errors[at]?.schemaPath}/`;
  let count = 0;
  while (errors[at - count - 1]?.schemaPath.startsWith(inside)) count += 1;
  return count;
}

function depth(branch: readonly ErrorObject[]): number {
  return branch.reduce((deepest, { instancePath }) => Math.max(deepest, instancePath.split('/').length), 0);
}
