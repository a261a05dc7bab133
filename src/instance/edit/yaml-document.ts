import { count, defined, didYouMean, type EchelonError } from '../../base/index.ts';
import { type KeyPath, keyPathText } from '../problem.ts';
import { type EntryNode, type LayoutNode, lineAndColumn, type ScalarNode, yamlLayout } from '../yaml/layout.ts';
import { YamlFault, type YamlModels, yamlModels } from '../yaml/yaml11.ts';
import { decodeText, editError } from './text-edits.ts';

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
  const text = decodeText(file, bytes);
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
export function fileAndLine({ file, text }: Pick<YamlText, 'file' | 'text'>, offset: number): string {
  return `${file}:${lineAndColumn(text, offset).line}`;
}

interface Located<Node extends LayoutNode = LayoutNode> {
  readonly document: number;
  readonly node: Node;
}

/** The node of a path, if it can be changed without affecting another place; throws with the reason otherwise. */
export function editableNode(yaml: YamlText, path: KeyPath): Located {
  const [first, second, ...more] = yaml.documents
    .map((root, document) => ({ document, root, steps: walk(root, path) }))
    .filter(({ steps }) => steps.node !== undefined || yaml.documents.length === 1);
  if (first === undefined) throw notFound(yaml, yaml.file, path, []);
  if (second !== undefined) {
    const hint = 'move each document to a file of its own';
    const places = [first, second, ...more].map(({ steps, root }) => fileAndLine(yaml, (steps.node ?? root).start));
    throw editError('EDIT_AMBIGUOUS', `${keyPathText(path)} is in several documents: ${places.join(', ')}`, hint);
  }
  const { steps, document, root } = first;
  if (steps.refusal !== undefined) throw editRefused(yaml, path, steps.refusal);
  if (steps.node === undefined)
    throw notFound(yaml, fileAndLine(yaml, steps.deepest.start), path, keysOf(steps.deepest));
  const shared = steps.trail.find((node) => node.anchor !== undefined && isUsed(root, node.anchor));
  if (shared !== undefined) {
    const why = `is under the anchor &${shared.anchor}, which is also used elsewhere`;
    throw editRefused(yaml, path, { at: shared.start, why });
  }
  return { document, node: steps.node };
}

/** A scalar of a path that can be replaced in place. */
export function editableScalar(yaml: YamlText, path: KeyPath): Located<ScalarNode> {
  const { document, node } = editableNode(yaml, path);
  const why = unfitness(node);
  if (node.kind === 'scalar' && why === undefined) return { document, node };
  throw editRefused(yaml, path, { at: node.start, why: why ?? 'is not a scalar' });
}

function unfitness(node: LayoutNode): string | undefined {
  if (node.kind !== 'scalar') return node.kind === 'alias' ? 'is an alias' : `is a ${node.kind}, not a scalar`;
  if (node.tagged) return 'has an explicit type tag';
  if (node.style === 'block') return 'is a block scalar (| or >)';
  return node.style === 'plain' && node.text === '' ? 'has no value' : undefined;
}

interface Refusal {
  readonly at: number;
  readonly why: string;
}

interface Walk {
  readonly trail: readonly LayoutNode[];
  readonly deepest: LayoutNode;
  /** Absent if the path does not exist. */
  readonly node?: LayoutNode;
  readonly refusal?: Refusal;
}

function walk(root: LayoutNode, path: KeyPath): Walk {
  const trail: LayoutNode[] = [root];
  let node = root;
  for (const step of path) {
    const refusal = obstacle(node, step);
    // A refusal counts as found, so that it is reported.
    if (refusal !== undefined) return { trail, deepest: node, node, refusal };
    const next = childOf(node, step);
    if (next === undefined) return { trail, deepest: node };
    trail.push(next);
    node = next;
  }
  const refusal = node.kind === 'alias' ? throughAlias(node.alias, node.start) : undefined;
  return { trail, deepest: node, node, ...defined({ refusal }) };
}

function childOf(node: LayoutNode, step: string | number): LayoutNode | undefined {
  if (typeof step === 'number') return node.kind === 'sequence' ? node.items[step] : undefined;
  return node.kind === 'mapping' ? node.entries.find(({ key }) => key === step)?.value : undefined;
}

/** What prevents changing a part of this node alone. */
function obstacle(node: LayoutNode, step: string | number): Refusal | undefined {
  if (node.kind === 'alias') return throughAlias(node.alias, node.start);
  if (node.kind !== 'mapping') return undefined;
  const found = node.entries.filter(({ key }) => key === step);
  const [, again] = found;
  if (again !== undefined) return { at: again.start, why: `is defined ${count(found.length, 'time')}: duplicate key` };
  const merge = node.entries.find(({ key }) => key === '<<');
  if (found.length === 0 && merge !== undefined) return { at: merge.start, why: 'may come from a merge key (<<)' };
  return undefined;
}

function throughAlias(alias: string, at: number): Refusal {
  return { at, why: `is the alias *${alias}, so its value is defined elsewhere` };
}

function isUsed(root: LayoutNode, anchor: string): boolean {
  if (root.kind === 'alias') return root.alias === anchor;
  if (root.kind === 'mapping') return root.entries.some(({ value }) => isUsed(value, anchor));
  return root.kind === 'sequence' && root.items.some((item) => isUsed(item, anchor));
}

function keysOf(node: LayoutNode): readonly string[] {
  return node.kind === 'mapping' ? node.entries.map(({ key }: EntryNode) => key) : [];
}

export function editRefused(yaml: YamlText, path: KeyPath, { at, why }: Refusal): EchelonError {
  const message = `${fileAndLine(yaml, at)}: ${keyPathText(path) || 'the document'} ${why}`;
  return editError('EDIT_REFUSED', message, 'write the value in place, or edit it by hand; nothing was changed');
}

function notFound(yaml: YamlText, place: string, path: KeyPath, candidates: readonly string[]): EchelonError {
  const wanted = path.findLast((step) => typeof step === 'string');
  const hint = didYouMean(String(wanted ?? ''), candidates, 'check the path; nothing was changed');
  return editError('EDIT_NOT_FOUND', `${place}: no ${keyPathText(path) || 'document'} in ${yaml.file}`, hint);
}
