import { dependencyBytes } from '../installed-size.ts';
import { REPO } from '../part.ts';
import { MIB, type Row, sizeText } from '../row.ts';

export function benchSize(): Row[] {
  const bytes = dependencyBytes(REPO);
  return [
    {
      what: 'packages that an installation brings, in MiB',
      echelon: sizeText(bytes),
      ratio: bytes / MIB,
      limit: { atMost: 40 },
    },
  ];
}
