import assert from 'node:assert/strict';
import { type Subject } from '../../support/clients/calls.ts';
import { type ClientGateway, startClientGateway } from '../../support/clients/client-gateway.ts';
import { type Driver, startDriver } from '../../support/clients/driver.ts';
import { type Language } from '../../support/clients/languages.ts';
import { release } from '../../support/lifetime/release.ts';
import { callCases } from './calls.ts';
import { driverCases } from './driver.ts';
import { hostileCases } from './hostile.ts';
import { oauth2Cases } from './oauth2.ts';
import { clockCases } from './clock.ts';
import { retryCases } from './retries.ts';
import { authorityCases } from './authorities.ts';
import { brokenConnectionCases } from './broken-connections.ts';
import { refusalCases } from './refusals.ts';
import { packageCases } from './package.ts';
import { privateKeyCases } from './private-keys.ts';
import { privateKeyVectorCases } from './private-key-vectors.ts';
import { problemCases, settingCases } from './problems.ts';
import { redirectCases } from './redirects.ts';
import { assertNoSecretLeaked, secretCases } from './secrets.ts';
import { tamperedCases } from './tampered.ts';
import { vectorCases } from './vectors.ts';

/** The first time a driver is asked, everything it needs may have to be built. */
const buildTimeoutMs = 11 * 60_000;

/** Everything that clients/CONTRACT.md says, of one client. */
export function testClient(language: Language): void {
  describe(`the client for ${language.title}`, () => {
    let driver: Driver | undefined;
    /** More of them, where one answers one question after the other. */
    const others: Driver[] = [];
    let starting: Promise<void> | undefined;
    const startOthers = async (): Promise<void> => {
      while (others.length < language.ways.length) others.push(await startDriver(language.folder));
      await Promise.all(others.map((other) => other.describe()));
    };
    let gateway: ClientGateway | undefined;
    const running = <T>(value: T | undefined): T => {
      assert.ok(value !== undefined, 'driver and gateway run within tests only');
      return value;
    };
    before(async function () {
      this.timeout(buildTimeoutMs);
      driver = await startDriver(language.folder);
      await driver.describe();
      gateway = await startClientGateway(language.ways.length);
    });
    after(() => release(driver, ...others, gateway));
    beforeEach(() => {
      running(gateway).backend.reset();
    });

    const subjectOf = (index: number) => (): Subject => {
      const [way, partner] = [language.ways[index], running(gateway).partners[index]];
      assert.ok(way !== undefined && partner !== undefined);
      return { driver: running(driver), gateway: running(gateway), way, partner };
    };
    packageCases(language, subjectOf(0));
    driverCases(language, subjectOf(0));
    vectorCases(() => running(driver));
    if (language.hasPrivateKeys === true) privateKeyVectorCases(() => running(driver));
    settingCases(subjectOf(0));
    tamperedCases(subjectOf(0));
    for (const [index, way] of language.ways.entries()) {
      const { adapter, http } = way;
      describe(`by ${adapter}, over HTTP/${http}`, () => {
        callCases(subjectOf(index));
        refusalCases(subjectOf(index));
        oauth2Cases(way, subjectOf(index));
        problemCases(subjectOf(index));
        redirectCases(subjectOf(index));
        secretCases(subjectOf(index));
        hostileCases(subjectOf(index));
        brokenConnectionCases(subjectOf(index));
        if (http === '1.1') authorityCases(subjectOf(index), language);
        if (language.hasPrivateKeys === true) privateKeyCases(way, subjectOf(index));
      });
    }
    const everySubject = (): readonly Subject[] => language.ways.map((_, index) => subjectOf(index)());
    const everySubjectAlone = async (): Promise<readonly Subject[]> => {
      if (language.isOneByOne !== true) return everySubject();
      await (starting ??= startOthers());
      return everySubject().map((subject, index) => ({ ...subject, driver: others[index] ?? assert.fail() }));
    };
    retryCases(everySubject, everySubjectAlone);
    clockCases(everySubject);

    it('neither its errors nor its standard error held a secret in all these tests', () => {
      const { gateway } = subjectOf(0)();
      const texts = [running(driver), ...others].flatMap((each) => [each.stderr(), ...each.faults()]);
      assertNoSecretLeaked(texts.join('\n'), gateway.partners);
    });
  });
}
