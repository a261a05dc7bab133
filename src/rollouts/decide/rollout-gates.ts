import { count, defined } from '../../base/index.ts';
import { freezeBetween, freezeText, gateList, MICROS, pass, secondText, wait, windowAt } from '../../gates/index.ts';
import { findingText } from './query-findings.ts';
import type { MoveSubject, RolloutGate, RolloutGates, TrackContext } from './rollout-gate.ts';
import { differenceText, shadowRule, shadowVerdict } from './shadows.ts';
import { inForce, rejectionOf } from './track-rules.ts';

const BACK = 'it is a way back';

const pinnedRow: RolloutGate = {
  name: 'pinned',
  judge: ({ facts: { pinned, disabled } }) => {
    if (pinned !== undefined) return wait('pinned', `it is pinned to ${pinned}`);
    return disabled ? wait('pinned', 'it is disabled') : pass('pinned', 'it is not pinned');
  },
  opens: ({ reason }) => (reason === 'it is disabled' ? 'it is enabled' : 'its pin is removed'),
};

const pausedRow: RolloutGate = {
  name: 'paused',
  judge: ({ image, isBack }, { overrules, now }) => {
    if (isBack) return pass('paused', BACK);
    const paused = inForce(overrules, 'pause', image, now);
    if (paused === undefined) return pass('paused', 'the track is not paused');
    const { until } = paused;
    return wait('paused', `the track is paused: ${paused.reason}`, until === undefined ? {} : { until });
  },
  opens: () => 'the pause is removed',
};

const rejectedRow: RolloutGate = {
  name: 'rejected',
  judge: ({ image }, { overrules, now }) => {
    const rejected = rejectionOf(overrules, image, now);
    if (rejected === undefined) return pass('rejected', 'the image is not rejected');
    return wait('rejected', `the image was rejected at ${secondText(rejected.at)}: ${rejected.reason}`);
  },
  opens: (_, image) => `a later resume for ${image}`,
};

const haltedRow: RolloutGate = {
  name: 'halted',
  judge: ({ image }, { failureOf }) => {
    const failure = failureOf(image);
    if (failure === undefined) return pass('halted', 'the image failed on no shard');
    const { shard, at, reason } = failure;
    return wait('halted', `it failed on ${shard} at ${secondText(at)}: ${reason}`, { waitsOn: shard });
  },
  opens: (_, image) => `a later resume for ${image}`,
};

const freezeRow: RolloutGate = {
  name: 'freeze',
  judge: ({ facts, image, isBack }, { freezes, now, isExpedited }) => {
    if (isBack) return pass('freeze', BACK);
    const frozen = freezeBetween(
      freezes.filter(({ concerns }) => concerns(facts.integration)),
      now,
      now,
    );
    if (frozen === undefined) return pass('freeze', 'no freeze');
    const { freeze, until } = frozen;
    if (isExpedited(image)) return pass('freeze', `expedited, in spite of the freeze ${freeze.name}`);
    return wait('freeze', `the freeze ${freeze.name}: ${freezeText(freeze, until)}`, { until, waitsOn: freeze.name });
  },
  opens: ({ waitsOn }) => `the freeze ${waitsOn} ends`,
};

const windowRow: RolloutGate = {
  name: 'window',
  judge: ({ image, isBack }, { track, now, isExpedited }) => {
    if (isBack) return pass('window', BACK);
    if (track.window === undefined) return pass('window', 'the track has no window');
    const minute = Math.floor(now / MICROS.minute) * MICROS.minute;
    const timing = { lead: 0, window: MICROS.second };
    const due = windowAt(track.window, (minute - MICROS.second) as typeof now, { dialect: 'five-fields', timing });
    if ('slot' in due && due.slot === minute) return pass('window', 'the window is open');
    if (isExpedited(image)) return pass('window', 'expedited, outside the window');
    if ('fault' in due) return wait('window', due.fault);
    return wait('window', `the window opens at ${secondText(due.slot)}`, { until: due.slot });
  },
  opens: () => 'the window is changed',
};

const waveRow: RolloutGate = {
  name: 'wave',
  judge: (subject, context) => {
    const { image, wave, isBack } = subject;
    const { waves, firstUnpassed, queued, target } = context;
    if (isBack) return pass('wave', BACK);
    if (queued === image) return wait('wave', `${target} is under way and comes first`, { waitsOn: target });
    if (context.isExpedited(image)) return pass('wave', 'expedited');
    if (wave === undefined) return wait('wave', 'no wave of its track selects it');
    const blocking = waves[firstUnpassed];
    if (firstUnpassed >= wave || blocking === undefined) return pass('wave', 'every earlier wave has soaked');
    return wait('wave', `wave ${blocking.wave.name}: ${blocking.reason}`, {
      waitsOn: blocking.wave.name,
      ...earliest(context, wave),
    });
  },
  opens: ({ waitsOn }) => (waitsOn === undefined ? 'a wave selects it' : `${waitsOn} has passed`),
};

/** No earlier wave can be passed before the last of these times; unknown while one has no shard that counts. */
function earliest({ waves, now }: TrackContext, wave: number): { until?: typeof now } {
  const times = waves.slice(0, wave).flatMap(({ isPassed, passedFrom }) => (isPassed ? [] : [passedFrom]));
  const known = times.filter((time) => time !== undefined && time > now) as (typeof now)[];
  if (known.length < times.length || known.length === 0) return {};
  return { until: Math.max(...known) as typeof now };
}

const queriesRow: RolloutGate = {
  name: 'queries',
  judge: ({ isBack }, { track, queriesFault, queryFindings }) => {
    if (isBack) return pass('queries', BACK);
    if (track.health.queries.length === 0) return pass('queries', 'the track has no queries');
    if (queriesFault !== undefined) return wait('queries', `no query can be answered: ${queriesFault}`);
    const wrong = queryFindings.find(({ answer, isUnderWay }) => answer === 'wrong' && isUnderWay);
    if (wrong === undefined) return pass('queries', 'no query of a shard under way is wrong');
    return wait('queries', `${wrong.shard}: ${findingText(wrong)}`, { waitsOn: wrong.shard });
  },
  opens: ({ waitsOn }) =>
    waitsOn === undefined ? 'queries can be answered' : `the queries of ${waitsOn} are as expected`,
};

const shadowRow: RolloutGate = {
  name: 'shadow',
  judge: (subject, context) => {
    const { facts, wave, image, isBack, shadow } = subject;
    const { differing, track, overrules, now } = context;
    if (isBack) return pass('shadow', BACK);
    if (differing !== undefined) {
      const whose = differing.id === facts.id ? 'its shadow' : `the shadow of ${differing.id}`;
      const { digest } = differing.shadow;
      return wait('shadow', `${whose} ${differenceText(differing.shadow)}`, defined({ waitsOn: digest }));
    }
    const rule = shadowRule(track, wave);
    if (rule === undefined) return pass('shadow', 'the track has no shadow');
    if (facts.live === undefined) return pass('shadow', 'it runs no image to compare with');
    const { ok, reason } = shadowVerdict(shadow, { rule, overrules, live: facts.live.image, now });
    if (ok) return pass('shadow', reason);
    return wait('shadow', facts.shadowRuns === image ? 'its shadow is running' : reason);
  },
  opens: ({ waitsOn }) =>
    waitsOn === undefined ? 'its shadow has passed' : `an accept-shadow of ${waitsOn}, or a shadow without it`,
};

const parallelRow: RolloutGate = {
  name: 'parallel',
  judge: (subject: MoveSubject, { waves, underWay }) => {
    const { facts, image, wave } = subject;
    if (wave === undefined) return pass('parallel', 'no other shard is under way');
    const moved = underWay(wave, image);
    const others = moved.size - (moved.has(facts.id) ? 1 : 0);
    const most = waves[wave]?.wave.maxParallel ?? 1;
    if (others < most) return pass('parallel', `${count(others, 'other shard')} under way, at most ${most} at once`);
    const waitsOn = moved.values().find((id) => id !== facts.id) ?? '';
    return wait('parallel', `${others} of at most ${most} shards moved and are not yet healthy for five minutes`, {
      waitsOn,
    });
  },
  opens: ({ waitsOn }) => `${waitsOn} is healthy for five minutes`,
};

/** Every gate of a move, in the order in which verdicts are listed. To add a gate, add its row here. */
export const ROLLOUT_GATES: RolloutGates = gateList([
  pinnedRow,
  pausedRow,
  rejectedRow,
  haltedRow,
  freezeRow,
  windowRow,
  waveRow,
  queriesRow,
  shadowRow,
  parallelRow,
]);
