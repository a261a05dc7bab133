import { describe, expect, it } from 'vitest';
import { hasMountBelow, isMountBelow } from './mounts.ts';

const MOUNTS = [
  '24 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '25 24 0:22 / /proc rw,relatime - proc proc rw',
  '31 24 0:29 / /srv/one rw - tmpfs tmpfs rw',
  '32 24 0:30 / /srv/a\\040b\\011\\134/data/x rw shared:1 - tmpfs tmpfs rw',
  '',
].join('\n');

describe('a mount', () => {
  it.each([
    { folder: '/srv', isBelow: true },
    { folder: '/', isBelow: true },
    { folder: '/srv/one', isBelow: false },
    { folder: '/srv/on', isBelow: false },
    { folder: '/srv/one/data', isBelow: false },
    { folder: '/srv/a b\t\\/data', isBelow: true },
    { folder: '/srv/a', isBelow: false },
  ])('is below $folder: $isBelow', ({ folder, isBelow }) => {
    expect(isMountBelow(folder, MOUNTS)).toBe(isBelow);
  });

  it('may be below a folder that is not there', () => {
    expect(hasMountBelow('/no/such/folder')).toBe(true);
  });
});
