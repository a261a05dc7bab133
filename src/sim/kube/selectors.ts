import { type KubeObject, valueAt } from './objects.ts';
import { badRequest } from './status.ts';

type Labels = Readonly<Record<string, string>>;
type Test = (labels: Labels) => boolean;

const REQUIREMENT =
  /^(?<not>!)?\s*(?<key>[\w./-]+)\s*(?:(?<operator>==?|!=|>|<)\s*(?<value>[\w.-]*)|(?<set>in|notin)\s*\((?<values>[^()]*)\))?$/;

/** Reads the query parameter labelSelector. */
export function labelTest(text: string): Test {
  const requirements = text.trim() === '' ? [] : text.split(/,(?![^(]*\))/);
  const tests = requirements.map((requirement) => testOf(requirement.trim()));
  return (labels) => tests.every((test) => test(labels));
}

function testOf(requirement: string): Test {
  const { not, key = '', operator, value = '', set, values = '' } = REQUIREMENT.exec(requirement)?.groups ?? {};
  if (key === '') throw badRequest(`unable to parse requirement: '${requirement}'`);
  if (not !== undefined) return (labels) => !Object.hasOwn(labels, key);
  if (set !== undefined)
    return amongTest(
      key,
      set === 'in',
      values.split(',').map((each) => each.trim()),
    );
  if (operator === undefined) return (labels) => Object.hasOwn(labels, key);
  if (operator === '!=') return (labels) => labels[key] !== value;
  if (operator === '>') return (labels) => Number(labels[key]) > Number(value);
  if (operator === '<') return (labels) => Number(labels[key]) < Number(value);
  return (labels) => labels[key] === value;
}

function amongTest(key: string, isIn: boolean, values: readonly string[]): Test {
  return (labels) => {
    const value = labels[key];
    return (value !== undefined && values.includes(value)) === isIn;
  };
}

/** Reads the query parameter fieldSelector. */
export function fieldTest(text: string): (object: KubeObject) => boolean {
  const tests = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [, path = '', operator, value] = /^([^=!]+)(==|=|!=)(.*)$/.exec(part) ?? [];
      if (path === '') throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
      return (object: KubeObject): boolean =>
        (String(valueAt(object, ...path.split('.')) ?? '') === value) === (operator !== '!=');
    });
  return (object) => tests.every((test) => test(object));
}
