import { envoyGateway } from '../../support/attachments/envoy-gateway.ts';
import { doctorCases } from '../chain/cases/doctor.ts';
import { productCases } from '../chain/cases/product.ts';

describe('behind Envoy Gateway', () => {
  productCases(envoyGateway);
  doctorCases(envoyGateway);
});
