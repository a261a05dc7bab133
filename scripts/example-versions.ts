/** Commits that the example instance names, by what it calls them, and the commits that take their places. */
export interface Versions {
  readonly production: string;
  readonly stage: string;
  readonly oldPin: string;
  readonly pin: string;
  readonly blocked: string;
  readonly schemas: string;
  readonly fleetTools: string;
  readonly serverProduction: string;
  readonly serverStage: string;
}

/** As they are written in `examples/instance`. */
export const WRITTEN: Versions = {
  production: '8c41f7e00cea9a802e72220cedf295ca087bbe5f',
  stage: '31e8409a1b1d33481640756ec1b842bd2b113333',
  oldPin: 'd90b2ac',
  pin: '0473914',
  blocked: 'e6b3c023384c841e0556edb39245fb6238ba3a1f',
  schemas: '27a9d1b',
  fleetTools: 'a4e1c580ec5fe9e4a6a478c3dd2b5d961ac8a236',
  serverProduction: '5b7d0e9ed916a084b13de4dab0ff30b3a441cfa7',
  serverStage: '2fa4f2ae4b45d85a20f0546517562ebc63b9459d',
};

const SHORT = 7;
/** What YAML would read as a number. */
const NUMBER = /^(?:\d+|\d+e\d+)$/;

/** A text with the commits of a moment instead of the written ones, each in the length that stands there. */
export function withVersions(text: string, versions: Versions): string {
  const names = new Map(Object.entries(WRITTEN).map(([name, sha]) => [sha.slice(0, SHORT), name as keyof Versions]));
  const pattern = new RegExp(`(: )?(?<![0-9a-f])(${[...names.keys()].join('|')})([0-9a-f]{33})?(?![0-9a-f])`, 'g');
  return text.replace(pattern, (_, before = '', short: string, rest?: string) => {
    const name = names.get(short);
    const sha = name === undefined ? short : versions[name];
    return `${before}${rest === undefined ? shortened(sha, before !== '') : sha}`;
  });
}

/** Bare in YAML, some would be read as numbers. */
function shortened(sha: string, bare: boolean): string {
  const short = sha.slice(0, SHORT);
  return bare && NUMBER.test(short) ? `'${short}'` : short;
}
