import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage } from './build-image.ts';
import { releaseProblems } from './release-problems.ts';
import { REPO, repack, run } from './run.ts';
import { readCharts, readSources, type Sources } from './sources.ts';
import { readLock, stageImage, unpackHelm } from './stage-image.ts';
import { writeSbom } from './write-sbom.ts';

/** What a release consists of, and the folders that it is made in. */
export interface Assembly {
  readonly sources: Sources;
  /** Of files that are not part of the release. */
  readonly scratch: string;
  /** With the tarball and the SBOM. */
  readonly folder: string;
  readonly helm: string;
  /** The name of the image. */
  readonly image: string;
}

/** Packs the package, writes its SBOM and builds the image of both; everything else of a release is made from these. */
export async function assemble<Result>(use: (assembly: Assembly) => Result): Promise<Result> {
  const sources = readSources(process.env);
  checkSources(sources);
  // Before the minute of work that would be lost without it.
  run('podman', ['--version']);
  const scratch = mkdtempSync(join(tmpdir(), 'echelon-release-'));
  try {
    const [folder, context] = [join(scratch, 'release'), join(scratch, 'context')];
    mkdirSync(folder);
    const helm = await unpackHelm(scratch);
    say('packing the package');
    const packed = join(scratch, 'packed');
    mkdirSync(packed);
    run('npm', ['pack', '--silent', '--pack-destination', packed]);
    const [name = ''] = readdirSync(packed);
    const tarball = join(folder, name);
    repack(join(packed, name), tarball, scratch, sources.sourceDate);
    const sbom = join(folder, `${sources.name}-${sources.version}.cdx.json`);
    writeSbom(sbom, sources, readLock(), helm);
    say('building the image');
    stageImage(context, { tarball, sbom, helm });
    const image = buildImage(context, { ...sources, baseImage: process.env['BASE_IMAGE'] ?? '' });
    return use({ sources, scratch, folder, helm, image });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function checkSources({ version }: Sources): void {
  const changelog = readFileSync(join(REPO, 'CHANGELOG.md'), 'utf8');
  const { RELEASE_TAG: tag } = process.env;
  const problems = releaseProblems({ version, changelog, charts: readCharts(), ...(tag ? { tag } : {}) });
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Runs a script of this folder: what fails is said in words, without the trace of the program. */
export async function main(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    say(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    process.exitCode = 1;
  }
}
