import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../base/index.ts';
import { bytesBelow, recoverFiles, replaceFiles, textBelow, withScratch } from '../../../clients/files/index.ts';
import { openForge, resolveRefByForge } from '../../../clients/forge/index.ts';
import {
  describeWorkingTree,
  identityIn,
  lineDates,
  openRepository,
  repositoryAt,
  resolveRef,
} from '../../../clients/git/index.ts';
import { imageDigest } from '../../../clients/registry/index.ts';
import { openInstance, type Snapshot } from '../../../instance/index.ts';
import type { PromotionPorts } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { progressOn } from '../../output/progress.ts';
import { line } from '../../output/terminal.ts';
import { recordedScopes } from '../manager/rollout-ports.ts';

/** The ports of a promotion: this machine and its forges. Tokens are redacted from forge responses. */
export function promotionPorts(io: Io, flags: { readonly rolloutRecord?: string } = {}): PromotionPorts {
  const { env, signal } = io;
  for (const name of ['GITHUB_TOKEN', 'GITLAB_TOKEN']) io.onSecret?.(env[name] ?? '');
  return {
    git: { repositoryAt, openClone: openRepository, resolveRef, lineDates, identity: identityIn },
    forge: {
      open: (url, options) => openForge(url, { ...options, env, signal }),
      resolveRef: (repository, ref) => resolveRefByForge({ repository, ref, env, signal }),
    },
    files: {
      text: textBelow,
      bytes: bytesBelow,
      recover: (folder) => recover(io, folder),
      replace: replaceFiles,
      write: (folder, file, text, { replace }) =>
        writeFileSync(join(folder, file), text, { flag: replace ? 'w' : 'wx' }),
      withScratch,
    },
    loadFolder: (folder, files) => loadFolder(io, folder, files),
    imageDigest: (question) => imageDigest({ ...question, signal }),
    now: () => new Date(),
    ...defined({ recorded: recordedScopes(io, flags) }),
  };
}

function recover({ stderr }: Io, folder: string): void {
  const { restored, changedSince } = recoverFiles(folder);
  if (restored.length > 0) stderr.write(line(`an interrupted change was undone: ${restored.join(', ')} restored`));
  for (const file of changedSince) {
    stderr.write(line(`an interrupted change was not undone: ${file} was changed since and stays as it is`));
  }
}

async function loadFolder(io: Io, folder: string, files: 'working-tree' | 'exported'): Promise<Snapshot> {
  const progress = progressOn(io);
  try {
    const source = openInstance(folder, {
      workingTree: { describe: files === 'exported' ? async () => undefined : describeWorkingTree },
      server: () => {
        throw new Error('a folder has no server');
      },
    });
    return await source.load({ signal: io.signal, onProgress: progress.step });
  } finally {
    progress.end();
  }
}
