import { type FieldTexts, under } from '../kind.ts';

export const MANAGER_EXAMPLE = {
  defaults: { environment: 'production' },
  upstreams: [
    {
      url: 'https://github.com/example/fleet-tools',
      image: 'quay.io/example/fleet-tools',
      tagParameter: 'FLEET_TOOLS_TAG',
    },
    { image: 'quay.io/example/tools', tag: '8c41f7e' },
  ],
};

export const MANAGER: FieldTexts = {
  defaults: ['defaults of flags; flags and variables win', { environment: 'production' }],
  'defaults.environment': ['environment in place of --environment-name', 'production'],
  'defaults.upstream': ['upstream in place of --upstream', 'https://github.com/example/fleet-tools'],
  upstreams: ['what the integrations of each upstream run', MANAGER_EXAMPLE.upstreams],
  ...under('upstreams', {
    url: [
      'upstream, as integration files have it; integrations without one when absent',
      'https://github.com/example/fleet-tools',
    ],
    image: ['image repository, without tag', 'quay.io/example/fleet-tools'],
    tag: ['image tag, optionally with its digest; at most one of tag, tagParameter and tagRef', '8c41f7e'],
    tagParameter: ['parameter of the environment that holds the tag', 'FLEET_TOOLS_TAG'],
    tagRef: ['ref of the upstream whose commit is the tag; needs url', 'main'],
    chart: ['folder of a chart, below the instance or absolute; --chart wins', 'my-chart'],
  }),
};
