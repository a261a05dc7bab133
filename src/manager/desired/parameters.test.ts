import { describe, expect, it } from 'vitest';
import { DEFAULT_IMAGE } from '../../instance/index.ts';
import { collectParameters, type ParameterSources, parseAssignment, upstreamRef } from './parameters.ts';

interface Given extends Omit<Partial<ParameterSources>, 'flags'> {
  readonly flags?: Readonly<Record<string, string>>;
}

const DECLARED = ['IMAGE', 'IMAGE_TAG', 'IMAGE_DIGEST', 'TPLT_PARAM', 'env_param'].map((name) => ({
  name,
  value: 'default',
}));

function collect({ flags = {}, environment = {}, process = {}, ...more }: Given): Record<string, string> {
  const sources = { environment, process, flags: new Map(Object.entries(flags)), ...more };
  return Object.fromEntries(collectParameters(DECLARED, sources));
}

describe('where a parameter comes from', () => {
  it.each([
    { given: 'nothing: the default of the template', sources: {}, value: undefined },
    { given: 'the environment', sources: { environment: { TPLT_PARAM: 'env' } }, value: 'env' },
    { given: 'the process', sources: { process: { TPLT_PARAM: 'process' } }, value: 'process' },
    { given: 'a flag', sources: { flags: { TPLT_PARAM: 'flag' } }, value: 'flag' },
    {
      given: 'the process before the environment',
      sources: { environment: { TPLT_PARAM: 'env' }, process: { TPLT_PARAM: 'process' } },
      value: 'process',
    },
    {
      given: 'a flag before the process',
      sources: {
        environment: { TPLT_PARAM: 'env' },
        process: { TPLT_PARAM: 'process' },
        flags: { TPLT_PARAM: 'flag' },
      },
      value: 'flag',
    },
    {
      given: 'a process that has it empty',
      sources: { environment: { TPLT_PARAM: 'env' }, process: { TPLT_PARAM: '' } },
      value: '',
    },
  ])('$given', ({ sources, value }) => {
    expect(collect(sources)['TPLT_PARAM']).toBe(value);
  });

  it('one from the environment and one from the process are both there', () => {
    const values = collect({ environment: { env_param: 'test' }, process: { TPLT_PARAM: 'override' } });
    expect(values).toMatchObject({ env_param: 'test', TPLT_PARAM: 'override' });
  });

  it('names that the template does not declare are not taken', () => {
    const values = collect({
      environment: { OTHER: 'x' },
      process: { PATH: '/bin', HOME: '/' },
      flags: { STRAY: 'y' },
    });
    expect(Object.keys(values)).toEqual(['IMAGE']);
  });

  it.each([
    { value: 3, text: '3' },
    { value: 0.5, text: '0.5' },
    { value: true, text: 'true' },
    { value: false, text: 'false' },
    { value: '', text: '' },
    { value: [1, 'a'], text: '[1,"a"]' },
    { value: { a: { b: null } }, text: '{"a":{"b":null}}' },
    { value: null, text: undefined },
  ])('$value of the environment is "$text"', ({ value, text }) => {
    expect(collect({ environment: { TPLT_PARAM: value } })['TPLT_PARAM']).toBe(text);
  });
});

describe('the repository of the image', () => {
  it.each([
    { given: 'nothing', sources: {}, image: DEFAULT_IMAGE },
    {
      given: 'environment and process, which do not count',
      sources: { environment: { IMAGE: 'e' }, process: { IMAGE: 'p' } },
      image: DEFAULT_IMAGE,
    },
    { given: 'the manager', sources: { image: 'quay.io/x/y' }, image: 'quay.io/x/y' },
    { given: 'a flag', sources: { image: 'quay.io/x/y', flags: { IMAGE: 'quay.io/f' } }, image: 'quay.io/f' },
  ])('with $given is $image', ({ sources, image }) => {
    expect(collect(sources)['IMAGE']).toBe(image);
  });
});

const DIGEST = 'sha256:1';

describe('tag and digest are one value', () => {
  it.each([
    { given: 'both of the template', sources: {}, tag: undefined, digest: undefined },
    {
      given: 'both of the environment',
      sources: { environment: { IMAGE_TAG: 'e', IMAGE_DIGEST: DIGEST } },
      tag: 'e',
      digest: DIGEST,
    },
    {
      given: 'both of the process',
      sources: { process: { IMAGE_TAG: 'p', IMAGE_DIGEST: DIGEST } },
      tag: 'p',
      digest: DIGEST,
    },
    { given: 'both of flags', sources: { flags: { IMAGE_TAG: 'f', IMAGE_DIGEST: DIGEST } }, tag: 'f', digest: DIGEST },
    { given: 'only a digest', sources: { environment: { IMAGE_DIGEST: DIGEST } }, tag: undefined, digest: DIGEST },
    {
      given: 'a stronger digest',
      sources: { environment: { IMAGE_TAG: 'e' }, process: { IMAGE_DIGEST: DIGEST } },
      tag: 'e',
      digest: DIGEST,
    },
    {
      given: 'a digest by flag beside a ref',
      sources: { version: { tag: 'r' }, flags: { IMAGE_DIGEST: DIGEST } },
      tag: 'r',
      digest: DIGEST,
    },
    {
      given: 'a tag over the digest of the template',
      sources: { environment: { IMAGE_TAG: 'e' } },
      tag: 'e',
      digest: '',
    },
    {
      given: 'a tag of the process over the environment',
      sources: { environment: { IMAGE_DIGEST: DIGEST }, process: { IMAGE_TAG: 'p' } },
      tag: 'p',
      digest: '',
    },
    {
      given: 'a ref over environment and process',
      sources: {
        environment: { IMAGE_TAG: 'e', IMAGE_DIGEST: DIGEST },
        process: { IMAGE_TAG: 'p', IMAGE_DIGEST: DIGEST },
        version: { tag: 'f44e417' },
      },
      tag: 'f44e417',
      digest: '',
    },
    {
      given: 'a flag over a ref',
      sources: { process: { IMAGE_DIGEST: DIGEST }, version: { tag: 'r' }, flags: { IMAGE_TAG: 'f' } },
      tag: 'f',
      digest: '',
    },
    {
      given: 'a tag that the environment leaves empty',
      sources: { environment: { IMAGE_TAG: null } },
      tag: undefined,
      digest: undefined,
    },
  ])('$given: $tag@$digest', ({ sources, tag, digest }) => {
    const values = collect(sources);
    expect({ tag: values['IMAGE_TAG'], digest: values['IMAGE_DIGEST'] }).toEqual({ tag, digest });
  });

  const REPOSITORIES = { 'no one': {}, 'the manager': { image: 'mirror' }, 'a flag': { flags: { IMAGE: 'mirror' } } };
  const TAGS = {
    template: {},
    environment: { environment: { IMAGE_TAG: 't' } },
    process: { process: { IMAGE_TAG: 't' } },
    ref: { version: { tag: 't' } },
    flag: { flags: { IMAGE_TAG: 't' } },
  };
  const DIGESTS = {
    template: {},
    environment: { environment: { IMAGE_DIGEST: DIGEST } },
    process: { process: { IMAGE_DIGEST: DIGEST } },
    flag: { flags: { IMAGE_DIGEST: DIGEST } },
  };
  const WEAKEST_FIRST = ['template', 'environment', 'process', 'ref', 'flag'];
  const rows = Object.entries(REPOSITORIES).flatMap(([by, repository]) =>
    Object.entries(TAGS).flatMap(([tagFrom, tag]) =>
      Object.entries(DIGESTS).map(([digestFrom, digest]) => ({
        by,
        tagFrom,
        digestFrom,
        parts: [repository, tag, digest],
      })),
    ),
  );

  it.each(rows)('tag of $tagFrom, digest of $digestFrom, repository set by $by', ({ tagFrom, digestFrom, parts }) => {
    const given = parts.reduce<Given>((all, part: Given) => merged(all, part), {});
    const stronger = WEAKEST_FIRST.indexOf(tagFrom) > WEAKEST_FIRST.indexOf(digestFrom);
    const kept = digestFrom === 'template' ? undefined : DIGEST;
    expect(collect(given)['IMAGE_DIGEST']).toBe(stronger ? '' : kept);
  });
});

describe('the other images of a template', () => {
  const pair = ['BUSYBOX_IMAGE', 'BUSYBOX_IMAGE_TAG', 'BUSYBOX_IMAGE_DIGEST'].map((name) => ({ name, value: 'x' }));

  it.each([
    { given: 'nothing', environment: {}, digest: undefined },
    { given: 'another repository', environment: { BUSYBOX_IMAGE: 'mirror' }, digest: undefined },
    { given: 'another tag', environment: { BUSYBOX_IMAGE_TAG: '1' }, digest: '' },
    { given: 'tag and digest', environment: { BUSYBOX_IMAGE_TAG: '1', BUSYBOX_IMAGE_DIGEST: DIGEST }, digest: DIGEST },
  ])('with $given: digest $digest', ({ environment, digest }) => {
    const values = collectParameters(pair, { environment, process: {}, flags: new Map() });
    expect(values.get('BUSYBOX_IMAGE_DIGEST')).toBe(digest);
  });
});

function merged(a: Given, b: Given): Given {
  return {
    ...a,
    ...b,
    environment: { ...a.environment, ...b.environment },
    process: { ...a.process, ...b.process },
    flags: { ...a.flags, ...b.flags },
  };
}

describe('an assignment', () => {
  it.each([
    { text: 'A=b', name: 'A', value: 'b' },
    { text: 'A=b=c', name: 'A', value: 'b=c' },
    { text: 'A= b ', name: 'A', value: ' b ' },
    { text: 'A=', name: 'A', value: '' },
  ])('$text', ({ text, name, value }) => {
    expect(parseAssignment(text, '--parameter')).toEqual([name, value]);
  });

  it.each(['', 'A', '=', '=b'])('"%s" is none', (text) => {
    expect(() => parseAssignment(text, '--parameter')).toThrow(
      expect.objectContaining({ code: 'FLAG_INVALID', message: `--parameter ${text} is not of the form NAME=VALUE` }),
    );
  });
});

describe('the ref that an environment wants', () => {
  const REPO = 'https://github.com/app-sre/qontract-reconcile';

  it.each([
    { given: 'no list', repos: undefined, ref: undefined },
    { given: 'something else than a list', repos: { repo: REPO, ref: 'x' }, ref: undefined },
    { given: 'other repositories', repos: [{ repo: `${REPO}.git`, ref: 'x' }], ref: undefined },
    {
      given: 'its repository',
      repos: [
        { repo: 'other', ref: 'x' },
        { repo: REPO, ref: 'main' },
      ],
      ref: 'main',
    },
    {
      given: 'its repository twice',
      repos: [
        { repo: REPO, ref: 'a' },
        { repo: REPO, ref: 'b' },
      ],
      ref: 'b',
    },
    { given: 'a commit that YAML takes for a number', repos: [{ repo: REPO, ref: 1234567 }], ref: '1234567' },
    { given: 'no ref', repos: [{ repo: REPO }], ref: undefined },
    { given: 'entries that are none', repos: [null, 'text', 1, { repo: REPO, ref: 'main' }], ref: 'main' },
  ])('with $given is $ref', ({ repos, ref }) => {
    expect(upstreamRef(repos === undefined ? {} : { INTEGRATION_UPSTREAM_REPOS: repos }, REPO)).toBe(ref);
  });
});
