import assert from 'node:assert/strict';
import { newMark, requestTo, type Subject } from '../../support/clients/calls.ts';
import { type Language } from '../../support/clients/languages.ts';
import { type Way } from '../../support/clients/protocol.ts';

/** What the suite needs of a driver besides signing and sending. */
export function driverCases(language: Language, subject: () => Subject): void {
  describe('the driver', () => {
    it('has the adapters and versions of HTTP that the tests run', async () => {
      const { adapters } = await subject().driver.describe();
      const found = adapters.flatMap(({ name, http }) => http.map((version) => ({ adapter: name, http: version })));
      const sorted = (ways: readonly Way[]): readonly string[] =>
        ways.map(({ adapter, http }) => `${adapter} ${http}`).sort();
      assert.deepEqual(sorted(found), sorted(language.ways));
    });

    it('answers what it cannot read with an error, and goes on', async () => {
      for (const answer of await subject().driver.tell('{', '[]', 'null', '"text"', '\u0000')) {
        assert.equal(typeof (answer as { error?: unknown }).error, 'string', JSON.stringify(answer));
      }
      for (const question of [{ op: 'none' }, { op: 'sign' }, { op: 'sign', name: 'nobody' }]) {
        const answer = await subject().driver.ask(question);
        assert.equal(typeof answer['error'], 'string', `${JSON.stringify(question)}: ${JSON.stringify(answer)}`);
      }
    });

    it('answers every one of many questions', async () => {
      const { driver, gateway, partner } = subject();
      const names = Array.from({ length: 50 }, newMark);
      const client = await driver.create({ method: 'hmac', ...partner.hmac });
      const answers = await Promise.all(names.map((name) => driver.sign(client, requestTo(gateway.url, 'hmac', name))));
      const urls = answers.map((answer) => ('signed' in answer ? answer.signed.url : JSON.stringify(answer)));
      assert.deepEqual(
        urls,
        names.map((name) => `${gateway.url}/hmac/${name}`),
      );
    });
  });
}
