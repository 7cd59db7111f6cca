import { plainEnvoy } from '../../support/kubernetes/plain-envoy.ts';
import { chainCases } from '../chain/cases/all.ts';

/** The configuration differs from envoy.yaml in addresses only (test/integration/deploy): these show that it is whole. */
const representative = ['guard', 'identity', 'refusal', 'unwrap'];

describe('behind the Envoy of the overlays plain-envoy and demo', () => {
  for (const name of representative) chainCases[name]?.(plainEnvoy);

  it('are cases that there are', () => {
    for (const name of representative) if (!(name in chainCases)) throw new Error(`there are no cases ${name}`);
  });
});
