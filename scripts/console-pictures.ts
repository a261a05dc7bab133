/** A picture of the console for the docs. */
export interface Picture {
  /** Of the file in docs/images. */
  readonly name: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme?: 'dark';
}

const WIDTH = 1_280;
const PHONE = 390;

/** Every picture in the docs is one of these, and `make screenshots` takes them all. */
export const PICTURES: readonly Picture[] = [
  { name: 'console.png', path: '/', width: WIDTH, height: 600 },
  { name: 'console-clusters.png', path: '/clusters?org=ocm-app-sre', width: WIDTH, height: 560 },
  { name: 'console-cluster.png', path: '/clusters?org=ocm-app-sre&gate=soak&sort=next', width: WIDTH, height: 860 },
  { name: 'console-timeline.png', path: '/timeline?org=ocm-app-sre&sort=-version', width: WIDTH, height: 560 },
  { name: 'console-rollouts.png', path: '/rollouts', width: WIDTH, height: 560 },
  { name: 'console-versions.png', path: '/versions', width: WIDTH, height: 480 },
  { name: 'console-shards.png', path: '/shards', width: WIDTH, height: 560, colorScheme: 'dark' },
  { name: 'console-phone.png', path: '/', width: PHONE, height: 844 },
];
