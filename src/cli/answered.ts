import { resolve } from 'node:path';
import { defined } from '../base/index.ts';
import { answerCache } from '../clients/file-cache/index.ts';
import { answerAbout, type Keeping, type Snapshot } from '../instance/index.ts';
import { type InstanceFlags, instanceSource } from './instance-option.ts';
import type { Io } from './io.ts';
import { progressOn } from './output/progress.ts';

export interface AskFlags extends InstanceFlags {
  readonly cache?: boolean;
}

interface Asking<Answer> {
  /** All flags that the answer depends on. */
  readonly question: object;
  /** The files among them, whose content counts. */
  readonly files: readonly (string | undefined)[];
  /** Also list what a source does not give. */
  readonly inventory?: boolean;
  readonly answer: (snapshot: Snapshot, keeping: Keeping | undefined) => Promise<Answer>;
}

/** The answer of a command about its instance; of an installed package, one that was given before about the same bytes. */
export async function answered<Answer extends object>(io: Io, flags: AskFlags, asking: Asking<Answer>) {
  const progress = progressOn(io);
  try {
    const source = await instanceSource(io, flags);
    const isKept = io.build !== undefined && flags.cache !== false;
    const { answer, revision } = await answerAbout(source, {
      question: asking.question,
      files: asking.files.flatMap((file) => (file === undefined ? [] : [resolve(io.cwd, file)])),
      code: `${io.build} ${process.version}`,
      store: isKept ? answerCache(io.env) : undefined,
      load: { signal: io.signal, onProgress: progress.step, ...defined({ inventory: asking.inventory }) },
      answer: asking.answer,
    });
    return { ...answer, origin: source.origin, revision };
  } finally {
    progress.end();
  }
}
