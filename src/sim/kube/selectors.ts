import { type Fields, isFields, type KubeObject, valueAt } from './objects.ts';
import { badRequest } from './status.ts';
import { checkLabelValue, checkQualifiedName } from './validation/names.ts';

export type Labels = Readonly<Record<string, string>>;
type Test = (labels: Labels) => boolean;

/** Reads the query parameter labelSelector. */
export function labelTest(text: string): Test {
  const tests = readRequirements(tokensOf(text));
  return (labels) => tests.every((test) => test(labels));
}

const TOKEN = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/y;
const OPERATORS = ['in', 'notin', '=', '==', '!=', '>', '<'];

function tokensOf(text: string): string[] {
  TOKEN.lastIndex = 0;
  const tokens: string[] = [];
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) tokens.push(match[1] ?? '');
  return tokens;
}

function isWord(token: string | undefined): token is string {
  return token !== undefined && !/^[=!(),<>]/.test(token);
}

function readRequirements(tokens: string[]): Test[] {
  const tests: Test[] = [];
  while (tokens.length > 0) {
    const [first = ''] = tokens;
    if (!isWord(first) && first !== '!')
      throw badRequest(`found '${first}', expected: !, identifier, or 'end of string'`);
    tests.push(readRequirement(tokens));
    const separator = tokens.shift();
    if (separator === undefined) break;
    if (separator !== ',') throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
    const [next = ''] = tokens;
    if (!isWord(next) && next !== '!') throw badRequest(`found '${next}', expected: identifier after ','`);
  }
  return tests;
}

function readRequirement(tokens: string[]): Test {
  const isNegated = tokens[0] === '!';
  if (isNegated) tokens.shift();
  const key = tokens.shift() ?? '';
  const [error] = checkQualifiedName('<nil>', key, 'a valid label key');
  if (error !== undefined) throw unreadable(`${error.field}: ${error.body}`);
  if (isNegated) return (labels) => !Object.hasOwn(labels, key);
  if (tokens.length === 0 || tokens[0] === ',') return (labels) => Object.hasOwn(labels, key);
  const operator = tokens.shift() ?? '';
  if (!OPERATORS.includes(operator)) throw unreadable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  if (operator === 'in' || operator === 'notin')
    return amongTest(key, operator === 'in' ? 'In' : 'NotIn', readValues(tokens));
  return valueTest(key, operator, readValue(tokens));
}

function unreadable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}

function readValue(tokens: string[]): string {
  const [token] = tokens;
  if (token === undefined || token === ',') return '';
  if (!isWord(token)) throw unreadable(`found '${token}', expected: identifier`);
  tokens.shift();
  const [error] = checkLabelValue('values[0]', token);
  if (error !== undefined) throw unreadable(`${error.field}: ${error.body}`);
  return token;
}

function readValues(tokens: string[]): string[] {
  const open = tokens.shift() ?? '';
  if (open !== '(') throw unreadable(`found '${open}' expected: '('`);
  const end = tokens.indexOf(')');
  if (end < 0) throw unreadable("found '', expected: ',' or ')'");
  return tokens.splice(0, end + 1).filter((token) => token !== ',' && token !== ')');
}

function valueTest(key: string, operator: string, value: string): Test {
  if (operator === '!=') return (labels) => labels[key] !== value;
  if (operator === '>') return (labels) => Number(labels[key]) > Number(value);
  if (operator === '<') return (labels) => Number(labels[key]) < Number(value);
  return (labels) => labels[key] === value;
}

function amongTest(key: string, operator: 'In' | 'NotIn', values: readonly string[]): Test {
  return (labels) => {
    const value = labels[key];
    return operator === 'In'
      ? value !== undefined && values.includes(value)
      : value === undefined || !values.includes(value);
  };
}

/** matchLabels and matchExpressions of an object. */
export function matchesLabelSelector(selector: Fields, labels: Labels): boolean {
  const matchLabels = isFields(selector['matchLabels']) ? selector['matchLabels'] : {};
  const expressions = Array.isArray(selector['matchExpressions']) ? (selector['matchExpressions'] as Fields[]) : [];
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    expressions.every((expression) => matchesExpression(expression, labels))
  );
}

function matchesExpression({ key, operator, values }: Fields, labels: Labels): boolean {
  const name = String(key);
  if (operator === 'Exists') return Object.hasOwn(labels, name);
  if (operator === 'DoesNotExist') return !Object.hasOwn(labels, name);
  return amongTest(name, operator === 'In' ? 'In' : 'NotIn', Array.isArray(values) ? values.map(String) : [])(labels);
}

const COMMON_FIELDS = ['metadata.name', 'metadata.namespace'];
const MORE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Event: [
    ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
      (name) => `involvedObject.${name}`,
    ),
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Namespace: ['status.phase'],
  Secret: ['type'],
  Service: ['spec.clusterIP', 'spec.type'],
  ReplicaSet: ['status.replicas'],
  Job: ['status.successful'],
};

/** Reads the query parameter fieldSelector; only a few fields of a kind can be selected by. */
export function fieldTest(text: string, { kind, namespaced }: Selectable): (object: KubeObject) => boolean {
  const known = [...(namespaced ? COMMON_FIELDS : ['metadata.name']), ...(MORE_FIELDS[kind] ?? [])];
  const tests = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(part);
      if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
      const [, path = '', operator, value] = match;
      if (!known.includes(path)) throw unknownField(kind, path, known);
      return (object: KubeObject): boolean => (fieldText(object, path) === value) === (operator !== '!=');
    });
  return (object) => tests.every((test) => test(object));
}

interface Selectable {
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Kinds that have fields of their own tell less. */
function unknownField(kind: string, path: string, known: readonly string[]): Error {
  if (MORE_FIELDS[kind] !== undefined) return badRequest(`field label not supported: ${path}`);
  return badRequest(`"${path}" is not a known field selector: only ${known.map((each) => `"${each}"`).join(', ')}`);
}

function fieldText(object: KubeObject, path: string): string {
  if (path === 'source')
    return String(valueAt(object, 'source', 'component') ?? valueAt(object, 'reportingComponent') ?? '');
  if (path === 'status.successful') return String(valueAt(object, 'status', 'succeeded') ?? 0);
  const value = valueAt(object, ...path.split('.'));
  if (value === undefined) return path === 'spec.hostNetwork' ? 'false' : '';
  return String(value);
}
