import { isJson } from '../../base/index.ts';
import { type Snapshot, yamlModels } from '../../instance/index.ts';
import type { FileEdit } from './plan-edits.ts';

/** The instance with the edits applied. */
export function snapshotAfter(snapshot: Snapshot, files: readonly FileEdit[]): Snapshot {
  const texts = new Map(files.map(({ file, after }) => [file, Buffer.from(after).toString('utf8')]));
  const datafiles = new Map(snapshot.datafiles);
  for (const [file, text] of texts) {
    const path = file.replace(/^data/, '');
    const old = datafiles.get(path);
    const content = old === undefined ? undefined : yamlModels(text.replace(/^\uFEFF/, '')).yaml11[0];
    if (old !== undefined && isJson(content)) datafiles.set(path, { ...old, content });
  }
  const echelonFiles = new Map(
    [...snapshot.echelonFiles].map(([path, text]) => [path, texts.get(`resources${path}`) ?? text]),
  );
  return { ...snapshot, datafiles, echelonFiles, text: (path) => texts.get(`data${path}`) ?? snapshot.text(path) };
}
