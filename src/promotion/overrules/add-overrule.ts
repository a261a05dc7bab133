import { isDeepStrictEqual } from 'node:util';
import {
  appendedItems,
  decodeText,
  type EditedList,
  editError,
  editedList,
  encodeText,
  flowKey,
  keyColumn,
  lastMapping,
  lineBreakOf,
  readYaml,
  scalarText,
  spliced,
  valueAtPath,
  verifyEdit,
  withValue,
} from '../../instance/index.ts';
import { type RolloutFile, requireRollouts } from '../../rollouts/index.ts';
import type { WrittenOverrule } from './new-overrule.ts';

const KEY = 'overrules';

/**
 * Appends an overrule to the text of a file of rollouts; every other byte stays. Reading the result must give exactly one
 * overrule more, otherwise an error says why and nothing is changed.
 */
export function addOverrule(name: string, bytes: Uint8Array, overrule: WrittenOverrule): Uint8Array {
  const yaml = readYaml(name, bytes);
  const list = editedList(yaml, [], KEY);
  const text = spliced(
    yaml.text,
    appendedItems(list, {
      block: (dash) => blockItem(list, dash, overrule),
      flow: () => flowItem(list, overrule),
    }),
  );
  verifyEdit(yaml, text, (models) => models.with(list.document, withOverrule(models[list.document], overrule)));
  const after = encodeText(text, yaml.text, bytes);
  requireOneMore(rolloutsIn(name, bytes), rolloutsIn(name, after), name);
  return after;
}

/** What the bytes of a file declare; throws ROLLOUTS_INVALID. */
export function rolloutsIn(name: string, bytes: Uint8Array): RolloutFile {
  return requireRollouts(decodeText(name, bytes).replace(/^\ufeff/, ''), name);
}

function withOverrule(model: unknown, overrule: WrittenOverrule): unknown {
  const before = valueAtPath(model, [KEY]);
  return withValue(model, [KEY], [...(Array.isArray(before) ? before : []), overrule]);
}

function requireOneMore({ overrules: old, ...before }: RolloutFile, after: RolloutFile, name: string): void {
  const { overrules, ...rest } = after;
  if (isDeepStrictEqual(overrules.slice(0, -1), old) && isDeepStrictEqual(rest, before)) return;
  const hint = 'edit the file by hand and report this; nothing was changed';
  throw editError('EDIT_UNVERIFIED', `${name} would change more than the overrule`, hint);
}

/** Formatted like the last overrule. */
function blockItem(list: EditedList, dash: number, overrule: WrittenOverrule): string {
  const { text } = list.yaml;
  const model = lastMapping(list);
  const column = keyColumn(text, dash, model);
  const eol = lineBreakOf(text);
  const lead = `${eol}${' '.repeat(dash)}-${' '.repeat(column - dash - 1)}`;
  if (model?.style === 'flow') return `${lead}${flowItem(list, overrule)}`;
  return `${lead}${fields(list, overrule, false).join(`${eol}${' '.repeat(column)}`)}`;
}

function flowItem(list: EditedList, overrule: WrittenOverrule): string {
  const model = lastMapping(list, 'flow');
  const pad = model !== undefined && /^\{ /.test(list.yaml.text.slice(model.start)) ? ' ' : '';
  return `{${pad}${fields(list, overrule, true).join(', ')}${pad}}`;
}

function fields(list: EditedList, overrule: WrittenOverrule, inFlow: boolean): string[] {
  return Object.entries(overrule).map(
    ([key, value]) => `${flowKey(list, key)}: ${scalarText(value, 'plain', { inFlow, json: list.yaml.json })}`,
  );
}
