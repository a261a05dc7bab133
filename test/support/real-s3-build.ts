import { join } from 'node:path';
import { goBinary } from './go-binary.ts';
import { REPO } from './shared.ts';

/** The path of the server of the pinned module. */
export function builtS3Server(): Promise<string> {
  return goBinary({
    name: 'versitygw',
    cache: 's3',
    module: join(REPO, 'test/e2e/s3'),
    package: 'github.com/versity/versitygw/cmd/versitygw',
    flags: ['-mod=readonly', '-modcacherw', '-trimpath', '-ldflags', '-s -w'],
    takes: 'one to three minutes',
    lockSeconds: 900,
  });
}
