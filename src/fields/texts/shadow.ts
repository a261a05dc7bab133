import { type FieldTexts, under } from '../kind.ts';

export const SHADOW_EXAMPLE = {
  integrations: {
    'terraform-resources': {
      actions: ['^\\[(?:create|update|delete)\\] (.*)$'],
      masks: [{ pattern: 'request-[0-9a-f]+', with: 'request-ID' }],
    },
  },
};

export const SHADOW: FieldTexts = {
  integrations: ['how the output of integrations is compared, by their names', SHADOW_EXAMPLE.integrations],
  ...under('integrations', {
    actions: [
      'RE2 patterns of messages that are actions: their groups, or the whole message; in place of those of existing integrations',
      ['^Deleting (\\S+)'],
    ],
    ignore: ['RE2 patterns of messages that are not compared', ['^cache hit']],
    masks: ['what differs between two runs of the same image, and is replaced before comparing'],
    'masks.pattern': ['RE2 pattern of what is replaced', 'request-[0-9a-f]+'],
    'masks.with': ['text in its place', 'request-ID'],
    inconclusive: ['RE2 patterns of messages after which a run proves nothing', ['^feature toggle .* is off']],
    collapseRepeats: ['whether exact repeats of an action count once (default true for terraform-*)'],
  }),
};
