import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { jobEnd } from './job-end.ts';

const TIMES = { startTime: '2026-11-16T10:00:00Z', completionTime: '2026-11-16T10:00:07Z' };
const at = (type: string, more: object = {}): object => ({ type, status: 'True', ...more });
const job = (status: object): KubeObject => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', uid: 'u1' }, status },
});
const pod = (state: object, more: { uid?: string; init?: object } = {}): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name: 'j-x', ownerReferences: [{ controller: true, kind: 'Job', name: 'j', uid: more.uid ?? 'u1' }] },
  spec: { containers: [{ name: 'int' }] },
  status: {
    containerStatuses: [{ name: 'int', state }],
    initContainerStatuses: more.init ? [{ state: more.init }] : [],
  },
});
const ended = (exitCode: number): object => ({ terminated: { exitCode } });
const LOG = { pod: 'j-x', container: 'int' };

describe('the Job of a side', () => {
  it.each([
    { given: 'it has no status', status: {}, pods: [] },
    { given: 'its pod runs', status: TIMES, pods: [pod({ running: {} })] },
    {
      given: 'its pod has ended, the Job not yet',
      status: { conditions: [at('SuccessCriteriaMet')] },
      pods: [pod(ended(0))],
    },
    { given: 'a condition is not met', status: { conditions: [{ type: 'Failed', status: 'False' }] }, pods: [] },
    { given: 'the image is being pulled', status: {}, pods: [pod({ waiting: { reason: 'ContainerCreating' } })] },
    { given: 'the pull failed once', status: {}, pods: [pod({ waiting: { reason: 'ErrImagePull' } })] },
    {
      given: 'a pod of another Job waits',
      status: {},
      pods: [pod({ waiting: { reason: 'ImagePullBackOff' } }, { uid: 'u2' })],
    },
  ])('runs while $given', ({ status, pods }) => {
    expect(jobEnd(job(status), pods)).toBeUndefined();
  });

  it.each([
    {
      ...{ given: 'well', status: { ...TIMES, conditions: [at('Complete')] }, pods: [pod(ended(0))] },
      end: { end: 'ended', exitCode: 0, seconds: 7, log: LOG },
    },
    {
      given: 'with an error',
      status: {
        startTime: TIMES.startTime,
        conditions: [at('Failed', { reason: 'BackoffLimitExceeded', lastTransitionTime: '2026-11-16T10:00:03Z' })],
      },
      pods: [pod(ended(1))],
      end: { end: 'ended', exitCode: 1, seconds: 3, log: LOG },
    },
    {
      ...{ given: 'at its deadline', status: { conditions: [at('Failed', { reason: 'DeadlineExceeded' })] }, pods: [] },
      end: { end: 'timed-out', seconds: 0, reason: 'it did not end in time' },
    },
    {
      ...{
        given: 'with a pod that is gone',
        status: { conditions: [at('Complete')] },
        pods: [pod(ended(0), { uid: 'u2' })],
      },
      end: { end: 'not-started', seconds: 0, reason: 'its pod is gone' },
    },
    {
      ...{ given: 'before it began: no image', status: {}, pods: [pod({ waiting: { reason: 'ImagePullBackOff' } })] },
      end: { end: 'not-started', seconds: 0, reason: 'its container does not start: ImagePullBackOff' },
    },
    {
      given: 'before it began: no image of an init container',
      status: {},
      pods: [pod({ waiting: { reason: 'PodInitializing' } }, { init: { waiting: { reason: 'ImagePullBackOff' } } })],
      end: { end: 'not-started', seconds: 0, reason: 'its container does not start: ImagePullBackOff' },
    },
  ])('ended $given', ({ status, pods, end }) => {
    expect(jobEnd(job(status), pods)).toEqual(end);
  });
});
