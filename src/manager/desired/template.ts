import { EchelonError, isJson, type Json } from '../../base/index.ts';
import { replacedFields, replacedItems } from './unchanged-parts.ts';

export interface TemplateParameter {
  readonly name: string;
  readonly value?: unknown;
  readonly required?: boolean;
  readonly generate?: string;
}

/** An OpenShift Template, as a chart writes it. */
export interface Template {
  readonly kind: 'Template';
  readonly objects: readonly Json[];
  readonly parameters: readonly TemplateParameter[];
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Processes a Template as `oc process --local --ignore-unknown-parameters` does, without a cluster.
 * Values are by parameter name; undeclared names are ignored, and references to undeclared names are not substituted.
 * Numbers are accepted in place of strings. If a name is declared twice, the given value applies to both, else the last
 * default.
 */
export function processTemplate(template: Template, given: ReadonlyMap<string, string>): Json[] {
  const values = new Map<string, string>();
  for (const { name, value } of template.parameters) values.set(name, given.get(name) ?? text(value));
  for (const parameter of template.parameters) requireValue(parameter, values.get(parameter.name) ?? '');
  const labels = substitute(template.labels ?? {}, values) as Readonly<Record<string, string>>;
  return template.objects.map((object) => placed(substitute(object, values) as Json, labels));
}

function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function requireValue({ name, required, generate }: TemplateParameter, value: string): void {
  if (value !== '' || (required !== true && generate === undefined)) return;
  throw new EchelonError({
    code: 'PARAMETER_MISSING',
    message: `no value for the template parameter ${name}`,
    hint: `set ${name} in the environment's parameters, or pass --parameter ${name}=VALUE`,
  });
}

const WHOLE = /^\$\{\{([a-zA-Z0-9_]+)\}\}$/;
const REFERENCE = /\$\{([a-zA-Z0-9_]+)\}/g;

function substitute(node: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof node === 'string') return substituteText(node, values);
  if (Array.isArray(node)) return replacedItems(node, (item) => substitute(item, values));
  return isJson(node) ? replacedFields(withNames(node, values), (value) => substitute(value, values)) : node;
}

/** Names of fields are rarely substituted. */
function withNames(fields: Json, values: ReadonlyMap<string, string>): Json {
  if (!Object.keys(fields).some((key) => key.includes('${'))) return fields;
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [replaced(key, values), value]));
}

function substituteText(node: string, values: ReadonlyMap<string, string>): unknown {
  if (!node.includes('${')) return node;
  const name = WHOLE.exec(node)?.[1];
  const value = name === undefined ? undefined : values.get(name);
  return name === undefined || value === undefined ? replaced(node, values) : asJson(value);
}

function replaced(node: string, values: ReadonlyMap<string, string>): string {
  if (!node.includes('${')) return node;
  return node.replaceAll(REFERENCE, (reference, name: string) => values.get(name) ?? reference);
}

/** `${{NAME}}` is replaced by JSON; a value that is not JSON stays a string, as with `oc`. */
function asJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Removes a namespace hard-coded in the Template and adds the Template's labels. */
function placed(object: Json, labels: Readonly<Record<string, string>>): Json {
  const { namespace: _, ...metadata } = (object['metadata'] ?? {}) as Record<string, unknown>;
  const own = metadata['labels'] as Readonly<Record<string, string>> | undefined;
  return {
    ...object,
    metadata: Object.keys(labels).length === 0 ? metadata : { ...metadata, labels: { ...own, ...labels } },
  };
}
