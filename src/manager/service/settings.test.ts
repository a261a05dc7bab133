import { describe, expect, it } from 'vitest';
import { DEFAULT_UPSTREAM } from '../../instance/index.ts';
import { managerSettings } from './settings.ts';

describe('the settings of a manager', () => {
  it.each([
    { given: 'nothing', choices: {}, env: {}, scope: {}, caller: DEFAULT_UPSTREAM },
    {
      given: 'variables',
      choices: {},
      env: { ENVIRONMENT_NAME: 'lab', INTEGRATIONS_MANAGER_UPSTREAM: 'https://u' },
      scope: { environment: 'lab', upstream: 'https://u' },
      caller: 'https://u',
    },
    {
      given: 'flags and variables',
      choices: { environmentName: 'prod', upstream: 'https://f' },
      env: { ENVIRONMENT_NAME: 'lab', INTEGRATIONS_MANAGER_UPSTREAM: 'https://u' },
      scope: { environment: 'prod', upstream: 'https://f' },
      caller: 'https://f',
    },
    {
      given: 'empty variables',
      choices: {},
      env: { ENVIRONMENT_NAME: '', INTEGRATIONS_MANAGER_UPSTREAM: '' },
      scope: {},
      caller: DEFAULT_UPSTREAM,
    },
    {
      given: 'an empty flag',
      choices: { environmentName: '' },
      env: { ENVIRONMENT_NAME: 'lab' },
      scope: {},
      caller: DEFAULT_UPSTREAM,
    },
  ])('with $given', ({ choices, env, scope, caller }) => {
    expect(managerSettings(choices, env)).toMatchObject({ scope, caller });
    expect(managerSettings(choices, env).scope).toEqual(scope);
  });

  it('take refs of the variable as words, and of the flag instead', () => {
    const env = { INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF: ' lab=main  prod=v1 ' };
    expect(managerSettings({}, env).images.tagsFromRefs).toEqual(['lab=main', 'prod=v1']);
    expect(managerSettings({ imageTagFromRef: ['lab=x'] }, env).images.tagsFromRefs).toEqual(['lab=x']);
  });
});
