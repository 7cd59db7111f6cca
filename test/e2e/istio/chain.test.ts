import { istio } from '../../support/attachments/istio.ts';
import { chainCases } from '../chain/cases/all.ts';

describe('behind a gateway of Istio', () => {
  for (const cases of Object.values(chainCases)) cases(istio);
});
