import assert from 'node:assert/strict';
import { Answers } from '../../../../drills/hour/answers.ts';

const good = { kind: 'key', right: ['200'] };
const bad = { kind: 'wrong key', right: ['401 AUTHENTICATION_FAILED'] };

describe('the answers of an hour', () => {
  it('are wrong where somebody was let in or kept out against the model', () => {
    const answers = new Answers(0);
    answers.lastHappening = 'x';
    answers.note(good, '200', 1, 1);
    answers.note(bad, '401 AUTHENTICATION_FAILED', 1, 2);
    answers.note(good, '401 AUTHENTICATION_FAILED', 1, 3);
    answers.note(good, '429 RATE_LIMITED', 1, 3);
    answers.note(bad, '200', 1, 4);
    answers.note(bad, '403 NOT_AUTHORIZED', 1, 5);
    const { wrong, failed, undecided, sent, refused } = answers.tally();
    assert.deepEqual(
      [...wrong.keys()],
      ['key 401 AUTHENTICATION_FAILED', 'key 429 RATE_LIMITED', 'wrong key 200', 'wrong key 403 NOT_AUTHORIZED'].map(
        (what) => `${what}, after: x`,
      ),
    );
    assert.deepEqual([sent, refused, failed.size, undecided.size], [6, 4, 0, 0]);
  });

  it('are failures where a caller to let in got no decision, and none where the caller was to be kept out', () => {
    const answers = new Answers(0);
    for (const outcome of ['503 STORE_UNAVAILABLE', '503', 'ECONNRESET', 'the stream was closed']) {
      answers.note(good, outcome, 1, 1);
      answers.note(bad, outcome, 1, 1);
    }
    const { wrong, failed, undecided } = answers.tally();
    assert.deepEqual([wrong.size, failed.size, undecided.size], [0, 4, 4]);
  });

  it('have a p99 for each minute, also for one without an answer', () => {
    const answers = new Answers(1000);
    for (let ms = 1; ms <= 200; ms += 1) answers.note(good, '200', ms, 1000 + ms);
    answers.note(good, '200', 7, 1000 + 130_000);
    assert.deepEqual(answers.tally().p99Ms, [199, 0, 7]);
  });
});
