import type { FieldValidation } from '../decode.ts';
import { type FieldError, invalid } from '../status.ts';
import { forbiddenField, invalidValue, required, tooLong, unsupported } from '../validation/field-errors.ts';

/** Query parameters of a write. */
export interface RequestOptions {
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly dryRun: boolean;
  readonly force: boolean;
}

const MANAGER_LIMIT = 128;
const MODES = ['', 'Ignore', 'Strict', 'Warn'];

/** `CreateOptions`, `UpdateOptions` or `PatchOptions`; only an apply may be forced, and has to name its manager. */
export function writeOptions(query: URLSearchParams, kind: string, isApply: boolean): RequestOptions {
  const fieldManager = query.get('fieldManager') ?? '';
  const mode = query.get('fieldValidation') ?? '';
  const dryRuns = query.getAll('dryRun').filter((value) => value !== '');
  const force = query.get('force');
  const errors = [
    ...(kind === 'PatchOptions' && !isApply && force !== null
      ? [forbiddenField('force', 'may not be specified for non-apply patch')]
      : []),
    ...(isApply && fieldManager === '' ? [required('fieldManager', 'is required for apply patch')] : []),
    ...checkManager(fieldManager),
    ...(dryRuns.every((value) => value === 'All') ? [] : [unsupported('dryRun', dryRuns, ['All'])]),
    ...(MODES.includes(mode) ? [] : [unsupported('fieldValidation', mode, MODES)]),
  ];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    fieldManager,
    fieldValidation: mode === '' ? 'Warn' : (mode as FieldValidation),
    dryRun: dryRuns.length > 0,
    force: force === 'true' || force === '1' || force === '',
  };
}

function checkManager(manager: string): FieldError[] {
  if (manager.length > MANAGER_LIMIT) return [tooLong('fieldManager', MANAGER_LIMIT)];
  const isPrintable = /^\P{C}*$/u.test(manager);
  return isPrintable ? [] : [invalidValue('fieldManager', manager, 'should only contain printable characters')];
}

/** The manager of a write that names none: the first part of its User-Agent. */
export function managerOf(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  const name = userAgent.split('/')[0] ?? '';
  return name.replaceAll(/\p{C}/gu, '').slice(0, MANAGER_LIMIT);
}
