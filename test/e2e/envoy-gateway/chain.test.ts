import { envoyGateway } from '../../support/attachments/envoy-gateway.ts';
import { allChainCases } from '../chain/cases/all.ts';

describe('behind Envoy Gateway', () => {
  allChainCases(envoyGateway);
});
