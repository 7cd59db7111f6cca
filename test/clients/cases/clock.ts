import assert from 'node:assert/strict';
import {
  assertAnswered,
  assertRefusal,
  call,
  createClient,
  forEveryWay,
  newMark,
  type Subject,
} from '../../support/clients/calls.ts';

const wrongClock = { clockOffset: -4000 };

/** A wrong clock is corrected when that was asked for, and within its bound. */
export function clockCases(subjects: () => readonly Subject[]): void {
  describe('a clock that is 4000 seconds slow', () => {
    const codesOf = async ({ gateway }: Subject, mark: string): Promise<readonly (string | null)[]> =>
      (await gateway.decisions(mark)).map(({ code }) => code);

    for (const [name, settings] of [
      ['without correction', {}],
      ['with a correction of at most 60 s', { clockCorrection: 60 }],
    ] as const) {
      it(`is refused ${name}`, () =>
        forEveryWay(subjects(), async (subject) => {
          const [mark, client] = [newMark(), await createClient(subject, 'hmac', { ...wrongClock, ...settings })];
          assertRefusal(await call(subject, client, 'hmac', mark), 401, 'REQUEST_EXPIRED');
          assert.deepEqual(await codesOf(subject, mark), ['REQUEST_EXPIRED']);
        }));
    }

    it('is corrected once, and for later calls', () =>
      forEveryWay(subjects(), async (subject) => {
        for (const [method, endpoint] of [
          ['hmac', 'hmac'],
          ['parameter-signature', 'parameters'],
        ] as const) {
          const [first, second] = [newMark(), newMark()];
          // Not counted, so no retries are needed.
          const client = await createClient(subject, method, { ...wrongClock, clockCorrection: 7200, retries: 0 });
          assertAnswered(await call(subject, client, endpoint, first), subject.way);
          assertAnswered(await call(subject, client, endpoint, second), subject.way);
          assert.deepEqual(await codesOf(subject, first), ['REQUEST_EXPIRED', 'ALLOWED']);
          assert.deepEqual(await codesOf(subject, second), ['ALLOWED']);
        }
      }));
  });
}
