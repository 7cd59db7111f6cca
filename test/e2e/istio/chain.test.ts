import { istio } from '../../support/attachments/istio.ts';
import { allChainCases } from '../chain/cases/all.ts';

describe('behind a gateway of Istio', () => {
  allChainCases(istio);
});
