import { isDeepStrictEqual } from 'node:util';
import { isJson } from '../../base/index.ts';
import { type KeyPath, keyPathText, lineAndColumn } from '../../instance/index.ts';
import type { Edited, EditedScalar } from './edited.ts';
import { locateScalar } from './locate.ts';
import { type Quotes, scalarText } from './quoting.ts';
import { editError, encode, type Splice, spliced } from './text-file.ts';
import { placeOf, readEdited, readYaml, type YamlText } from './yaml-text.ts';

export type { Edited, EditedScalar } from './edited.ts';

export interface ScalarEdit {
  readonly path: KeyPath;
  /** A string; quoted if it would otherwise be read as another type. */
  readonly value: string;
}

/** A splice and the scalar that it changes. */
interface ScalarChange {
  readonly splice: Splice;
  readonly scalar: EditedScalar;
  readonly document: number;
}

/**
 * Replaces scalars of a YAML or JSON text and nothing else. Either all edits are made and parsing the result gives exactly
 * the requested values, or an error names the place and nothing is changed.
 */
export function editYaml(file: string, bytes: Uint8Array, edits: readonly ScalarEdit[]): Edited {
  const yaml = readYaml(file, bytes);
  const changes = edits.map((edit) => changeOf(yaml, edit));
  const text = spliced(yaml.text, once(yaml, changes));
  verify(yaml, text, (models) =>
    changes.every((change) => isIn(models, change)) ? changes.reduce(withChange, models) : undefined,
  );
  return { bytes: encode(text, yaml.text, bytes), scalars: changes.map(({ scalar }) => scalar) };
}

export function changeOf(yaml: YamlText, { path, value }: ScalarEdit): ScalarChange {
  const { document, node } = locateScalar(yaml, path);
  const quotes: Quotes = node.style === 'block' ? 'single' : node.style;
  const written = isAlready(yaml, document, path, value)
    ? yaml.text.slice(node.start, node.end)
    : scalarText(value, quotes, { inFlow: node.inFlow, json: yaml.json });
  return {
    splice: { start: node.start, end: node.end, text: written },
    scalar: { path, line: lineAndColumn(yaml.text, node.start).line, old: node.text, value },
    document,
  };
}

/** Whether every reader already reads this string. */
function isAlready({ models }: YamlText, document: number, path: KeyPath, value: string): boolean {
  const readings = [models.yaml11, ...(models.yaml12 === undefined ? [] : [models.yaml12])];
  return readings.every((documents) => valueAt(documents[document], path) === value);
}

/** The same place may be given twice with the same value. */
function once(yaml: YamlText, changes: readonly ScalarChange[]): Splice[] {
  const byStart = new Map<number, ScalarChange>();
  for (const change of changes) {
    const known = byStart.get(change.splice.start);
    if (known !== undefined && known.scalar.value !== change.scalar.value) {
      const place = placeOf(yaml, change.splice.start);
      const message = `${place}: ${keyPathText(change.scalar.path)} would be set to both ${known.scalar.value} and ${change.scalar.value}`;
      throw editError('EDIT_CONFLICT', message, 'set it to one value; nothing was changed');
    }
    byStart.set(change.splice.start, change);
  }
  return [...byStart.values()].map(({ splice }) => splice);
}

type Models = readonly unknown[];

/**
 * Parses the new text as YAML 1.1 and 1.2 and compares it with the expected result. `expected` may return undefined for
 * YAML 1.2, where a key such as `on` has another name.
 */
export function verify(before: YamlText, text: string, expected: (models: Models) => Models | undefined): YamlText {
  const after = readEdited(before, text);
  const [old11, old12] = [before.models.yaml11, before.models.yaml12];
  const wanted12 = old12 === undefined ? undefined : expected(old12);
  const is11 = isDeepStrictEqual(after.models.yaml11, expected(old11));
  if (is11 && (wanted12 === undefined || isDeepStrictEqual(after.models.yaml12, wanted12))) return after;
  const hint = 'edit the file by hand and report this; nothing was changed';
  throw editError('EDIT_UNVERIFIED', `${before.file} would change more than requested`, hint);
}

function isIn(models: Models, { document, scalar }: ScalarChange): boolean {
  return valueAt(models[document], scalar.path) !== undefined;
}

function withChange(models: Models, { document, scalar }: ScalarChange): Models {
  return models.with(document, withValue(models[document], scalar.path, scalar.value));
}

/** A copy of a model with another value at a path; aliases of the old value keep it. */
export function withValue(model: unknown, path: KeyPath, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number' && Array.isArray(model)) return model.with(step, withValue(model[step], rest, value));
  if (typeof step === 'string' && isJson(model)) return { ...model, [step]: withValue(model[step], rest, value) };
  return model;
}

export function valueAt(model: unknown, path: KeyPath): unknown {
  let value = model;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isJson(value) ? value[String(step)] : undefined;
  }
  return value;
}
