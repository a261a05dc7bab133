import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPO } from './run.ts';
import { readSources } from './sources.ts';

/** What `echelon version` shows of an installed package. */
writeFileSync(join(REPO, 'dist/commit.txt'), `${readSources({ SOURCE_DATE_EPOCH: '0', ...process.env }).revision}\n`);
