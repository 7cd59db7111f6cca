import { istio } from '../../support/attachments/istio.ts';
import { productCases } from '../chain/cases/product.ts';

describe('behind a gateway of Istio', () => {
  productCases(istio);
});
