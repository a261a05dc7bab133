import { byText, defined } from '../../../base/index.ts';
import { isFields, type ManagedFieldsEntry } from '../objects.ts';
import { FieldSet, fromFieldsV1, toFieldsV1 } from './field-set.ts';

/** What one manager owns. Appliers are one manager whatever version they apply; updaters are one by version. */
export interface Managed {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly fields: FieldSet;
  readonly time?: string;
}

/** By identity. */
export type Managers = Map<string, Managed>;

/** Sorts and compares as the text that a server makes of it. */
export function identityOf({ manager, operation, apiVersion, subresource }: Omit<Managed, 'fields' | 'time'>): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

/** Reads metadata.managedFields; undefined when an entry is not one. */
export function readManagers(entries: unknown): Managers | undefined {
  const managers: Managers = new Map();
  if (entries === undefined || entries === null) return managers;
  if (!Array.isArray(entries)) return undefined;
  for (const entry of entries) {
    const managed = readManaged(entry);
    if (managed === undefined) return undefined;
    managers.set(identityOf(managed), managed);
  }
  return managers;
}

function readManaged(entry: unknown): Managed | undefined {
  if (!isFields(entry)) return undefined;
  const { manager = '', operation, apiVersion, fieldsType, fieldsV1, subresource = '', time } = entry;
  if ((operation !== 'Apply' && operation !== 'Update') || typeof apiVersion !== 'string' || apiVersion === '')
    return undefined;
  const fields = fieldsV1 === undefined || fieldsV1 === null ? new FieldSet() : fromFieldsV1(fieldsV1);
  if (fieldsType !== 'FieldsV1' || fields === undefined) return undefined;
  return {
    manager: String(manager),
    operation,
    apiVersion,
    subresource: String(subresource),
    fields,
    ...(typeof time === 'string' ? { time } : {}),
  };
}

/** As metadata.managedFields has it: appliers first, then by time and name. */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()].sort(byAge).map(({ manager, operation, apiVersion, subresource, fields, time }) => ({
    manager,
    operation,
    apiVersion,
    ...defined({ time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(subresource === '' ? {} : { subresource }),
  }));
}

function byAge(a: Managed, b: Managed): number {
  return (
    byText(a.operation, b.operation) ||
    byText(a.time ?? '', b.time ?? '') ||
    byText(a.manager, b.manager) ||
    byText(a.apiVersion, b.apiVersion) ||
    byText(a.subresource, b.subresource)
  );
}

/** How a conflict names a manager. */
export function managerText({ manager, operation, apiVersion, subresource }: Managed): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
