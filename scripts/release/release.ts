import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Assembly, assemble, main, say } from './assemble.ts';
import { saveImage } from './build-image.ts';
import { packageCharts } from './package-charts.ts';
import { REPO } from './run.ts';

const TARGET = join(REPO, 'dist/release');
/** As other ecosystems than Node's call the architectures. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64' };

/** `make release`: writes everything that is published into dist/release. The same sources give the same bytes. */
await main(() =>
  assemble((assembly) => {
    const { sources, scratch, folder, helm } = assembly;
    say('packing the charts and the image');
    packageCharts(helm, folder, scratch, sources.sourceDate);
    saveImage(assembly.image, join(folder, imageArchive(assembly)), scratch, sources.sourceDate);
    writeFileSync(join(folder, 'SHA256SUMS'), checksums(folder));
    rmSync(TARGET, { recursive: true, force: true });
    mkdirSync(dirname(TARGET), { recursive: true });
    cpSync(folder, TARGET, { recursive: true });
    console.log(readFileSync(join(TARGET, 'SHA256SUMS'), 'utf8').trimEnd());
  }),
);

function imageArchive({ sources: { name, version } }: Assembly): string {
  return `${name}-image-${version}-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}.tar`;
}

/** For `sha256sum --check`. */
function checksums(folder: string): string {
  return readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}
