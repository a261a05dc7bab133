import {
  type LayoutNode,
  lineAndColumn,
  YamlFault,
  type YamlModels,
  yamlLayout,
  yamlModels,
} from '../../instance/index.ts';
import { decode, editError } from './text-file.ts';

/** A parsed YAML (or JSON) text with its layout, for editing. */
export interface YamlText {
  readonly file: string;
  readonly text: string;
  /** One root per document. */
  readonly documents: readonly LayoutNode[];
  readonly models: YamlModels;
  /** Strings need double quotes there. */
  readonly json: boolean;
}

export function readYaml(file: string, bytes: Uint8Array): YamlText {
  const text = decode(file, bytes);
  return parsedYaml(file, text, 'EDIT_SYNTAX', 'fix it first; nothing was changed');
}

/** Parses a text after an edit; a parse error is reported as a failed edit. */
export function readEdited(before: YamlText, text: string): YamlText {
  return parsedYaml(before.file, text, 'EDIT_UNVERIFIED', 'edit the file by hand; nothing was changed');
}

function parsedYaml(file: string, text: string, code: string, hint: string): YamlText {
  try {
    const models = yamlModels(text);
    return { file, text, documents: yamlLayout(text), models, json: file.endsWith('.json') };
  } catch (thrown) {
    const offset = thrown instanceof YamlFault ? thrown.offset : undefined;
    const at = offset === undefined ? file : `${file}:${lineAndColumn(text, offset).line}`;
    const why = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown);
    throw editError(code, `${at} is not editable YAML: ${why}`, hint, thrown);
  }
}

/** `data/a.yml:12`. */
export function placeOf({ file, text }: Pick<YamlText, 'file' | 'text'>, offset: number): string {
  return `${file}:${lineAndColumn(text, offset).line}`;
}
