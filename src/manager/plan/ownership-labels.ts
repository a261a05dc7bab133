import { sha256Of } from '../../base/index.ts';

/** On everything that Echelon operates, so that it is found in namespaces that no integration names any more. */
export const LABEL = { environment: 'echelon/environment', instance: 'echelon/instance' } as const;

const LONGEST = 63;
const VALUE = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A name as a label can carry it: the name itself, else one made of its hash. */
export function labelValue(name: string): string {
  if (name.length <= LONGEST && VALUE.test(name)) return name;
  return `sha256-${sha256Of(name).slice(0, 40)}`;
}

export interface OwnershipLabels {
  readonly environment?: string;
  /** What tells this data repository from others that operate the same cluster; unknown for one without settings. */
  readonly instance?: string;
}

export function labelsOf({ environment, instance }: OwnershipLabels): Record<string, string> {
  return {
    ...(environment === undefined ? {} : { [LABEL.environment]: labelValue(environment) }),
    ...(instance === undefined ? {} : { [LABEL.instance]: labelValue(instance) }),
  };
}

/** Selects what carries these marks. */
export function selectorOf(marks: OwnershipLabels): string {
  return Object.entries(labelsOf(marks))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
