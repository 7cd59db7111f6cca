import { istio } from '../../support/attachments/istio.ts';
import { doctorCases } from '../chain/cases/doctor.ts';
import { productCases } from '../chain/cases/product.ts';

describe('behind a gateway of Istio', () => {
  productCases(istio);
  doctorCases(istio);
});
