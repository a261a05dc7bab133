import { type Fields, isFields } from '../objects.ts';
import type { ListType, ScalarType, StructType, Type } from '../schema.ts';
import { elementText, fieldElement, itemElement } from './path-element.ts';

/** What keeps a configuration from being applied: unknown fields, values of a wrong kind, items with the same key. */
export function checkApplied(config: Fields, type: StructType): string[] {
  const problems: string[] = [];
  visit(config, type, '', problems);
  return problems;
}

function visit(value: unknown, type: Type, path: string, problems: string[]): void {
  if (value === null || type.kind === 'any') return;
  const say = (problem: string): unknown => problems.push(`${path}: ${problem}`);
  if (type.kind === 'list') {
    if (Array.isArray(value)) visitItems(value, type, path, problems);
    else say(`expected list, got &{${goText(value)}}`);
  } else if (type.kind === 'scalar') {
    const problem = scalarProblem(value, type);
    if (problem !== undefined) say(problem);
  } else if (isFields(value)) visitFields(value, type, path, problems);
  else say(`expected map, got &{${goText(value)}}`);
}

function visitFields(value: Fields, type: Type, path: string, problems: string[]): void {
  for (const [name, below] of Object.entries(value)) {
    const at = `${path}${elementText(fieldElement(name))}`;
    const of = type.kind === 'map' ? type.value : type.kind === 'struct' ? type.fields.get(name)?.type : undefined;
    if (of !== undefined) visit(below, of, at, problems);
    else {
      problems.push(`${at}: field not declared in schema`);
      return;
    }
  }
}

function visitItems(value: readonly unknown[], type: ListType, path: string, problems: string[]): void {
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    const element = type.style === 'atomic' ? `i:${i}` : itemElement(type, item);
    if (typeof element !== 'string') {
      problems.push(`${path}: element ${i}: ${element.problem}`);
      return;
    }
    if (seen.has(element)) problems.push(`${path}: duplicate entries for key ${elementText(element)}`);
    seen.add(element);
    visit(item, type.item, `${path}${elementText(element)}`, problems);
  }
}

const NUMERIC = ['int32', 'int64', 'number'];
const UNTYPED = ['quantity', 'intOrString'];

function scalarProblem(value: unknown, { name }: ScalarType): string | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (UNTYPED.includes(name)) return isScalar ? undefined : `expected any scalar, got &{${goText(value)}}`;
  if (name === 'boolean') return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goText(value)}}`;
  if (NUMERIC.includes(name))
    return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
  return typeof value === 'string'
    ? undefined
    : `expected string, got &value.valueUnstructured{Value:${goText(value)}}`;
}

function goType(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? '[]interface {}' : typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isFields(value)) return String(value);
  return `map[${Object.entries(value)
    .map(([name, each]) => `${name}:${goText(each)}`)
    .join(' ')}]`;
}
