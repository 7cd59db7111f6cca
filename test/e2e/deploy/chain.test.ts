import { plainEnvoy } from '../../support/kubernetes/plain-envoy.ts';
import { allChainCases, chainCaseNames } from '../chain/cases/all.ts';

/** The configuration differs from envoy.yaml in addresses only (test/integration/deploy): these show that it is whole. */
const representative = ['guard', 'identity', 'refusal', 'unwrap'];

describe('behind the Envoy of the overlays plain-envoy and demo', () => {
  allChainCases(plainEnvoy, representative);

  it('are cases that there are', () => {
    for (const name of representative)
      if (!chainCaseNames.includes(name)) throw new Error(`there are no cases ${name}`);
  });
});
