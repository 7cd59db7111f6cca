import { envoyGateway } from '../../support/attachments/envoy-gateway.ts';
import { chainCases } from '../chain/cases/all.ts';

describe('behind Envoy Gateway', () => {
  for (const cases of Object.values(chainCases)) cases(envoyGateway);
});
