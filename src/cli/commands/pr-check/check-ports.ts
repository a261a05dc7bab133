import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { defined } from '../../../base/index.ts';
import { copiedData, withScratch } from '../../../clients/files/index.ts';
import { checkInstance, type SchemaSet } from '../../../instance/index.ts';
import type { PrCheckPorts } from '../../../promotion/index.ts';
import type { Capabilities } from '../../../sharding/index.ts';
import { instanceChecks } from '../../instance-checks.ts';
import type { Io } from '../../io.ts';
import { programRunner } from '../../program-runner.ts';
import { promotionPorts } from '../promote/promotion-ports.ts';
import { localRunner } from '../shadow/local-runner.ts';
import type { PrCheckFlags } from './flags.ts';
import { guard, renderWorkloads } from './workloads.ts';

export interface CheckInputs {
  readonly schemas?: SchemaSet;
  readonly capabilities?: Capabilities;
}

/** The ports of a check on this machine. */
export function checkPorts(io: Io, flags: PrCheckFlags, { schemas, capabilities }: CheckInputs): PrCheckPorts {
  const { git, forge, loadFolder, now, recorded } = promotionPorts(io, flags);
  return {
    git,
    forge,
    loadFolder,
    now,
    ...defined({ recorded }),
    files: {
      exists: existsSync,
      textUpTo,
      makeFolder: (path) => void mkdirSync(path, { recursive: true }),
      withScratch,
    },
    validate: async (snapshot) =>
      checkInstance(snapshot, {
        ...(await instanceChecks(io, flags, { snapshot, capabilities })),
        ...defined({ schemas }),
      }),
    renderWorkloads: (instance) => renderWorkloads(io, flags, { instance }, capabilities),
    guard,
    runner: checkRunner(io, flags),
    shadowRunner: ({ folder, instance }, scratch) =>
      localRunner(io, flags, {
        place: copiedData('directory', folder, scratch),
        isLocal: true,
        scratch,
        instance,
      }),
    shadowId: randomBytes(4).toString('hex'),
    signal: io.signal,
  };
}

function checkRunner(io: Io, flags: PrCheckFlags): PrCheckPorts['runner'] {
  const { redact, start } = programRunner(io, flags, flags.run === true);
  return {
    redact,
    run: ({ run, words, variables, base, head }, options) => {
      const { integration, image, name } = run;
      const local = { variables: { ECHELON_DATA: head, ECHELON_BASE_DATA: base } };
      return start({ integration, image, name, words, variables, local }, options);
    },
  };
}

function textUpTo(path: string, maxBytes: number): string | undefined {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size <= maxBytes ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
