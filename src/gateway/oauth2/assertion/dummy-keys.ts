import { PublicKey, type PublicKeyKind } from '../../../model/public-key/public-key.ts';

/**
 * Verified against when a client has no key of the kind, so that it takes as long as with one. Nobody has their private
 * halves, and no match with them counts.
 */
export const dummyKeys: Readonly<Record<PublicKeyKind, PublicKey>> = {
  ed25519: new PublicKey(
    'ed25519',
    { kty: 'OKP', crv: 'Ed25519', x: 'IHdTDTDXlbD-KuuUIeprqgZNnWdyCuQWKMS_98vljfo' },
    256,
  ),
  'p-256': new PublicKey(
    'p-256',
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'vTsFDwvohhlZLE5m1RBoSVg0wrdOq2fo4ujyA24LqB4',
      y: 'Vcj9GtQVXl7RoD0i-1OJkFVtlyp1bOatOZFs9WX8J_k',
    },
    256,
  ),
  'p-384': new PublicKey(
    'p-384',
    {
      kty: 'EC',
      crv: 'P-384',
      x: '7YibkAVvAzhjuaTi56QdZRhvi8AvwM4GAg5P6TJzi-kqG1751FHG3CPUtrFO65vM',
      y: '0wxhoPcW_1-7j7mhvT-dGi-eJG3WVG8RC-ae9YnQZoJqtwEmdBaR8Hb41iSwX_l6',
    },
    384,
  ),
  rsa: new PublicKey(
    'rsa',
    {
      kty: 'RSA',
      n: [
        'rzyiRIVACsAmCs2YuKOq9AHRkCfVSP_c1mILqHymHyjl24CT-3FTYyKlhIVuLl2hhwNFDvpVCzrWsrssWpLfqn',
        '4Ktul4VzdEvZpzMaQTKxewZ9miT1Hm7iD7U1Bo0mZhApERztmPyyVf8XjjQ19EbaRGCgL7Uj783X_ixyJfCZBP',
        'TO8i3LIEaGZ3tJp4vHNlC7n5SZk3f7Ht-L2YjSkNodn191LJuX3ALS5Ql9EwfEDLsGNqMfuKT03r8kuu78LqIZ',
        'tSgzndwWLoNblCcmirmSrWRxV_bsujDVCwxLNCieDnUJDKPCX0S0zxuuZQpKcQnHR_NlICsoUl6x3OPfLI6Q',
      ].join(''),
      e: 'AQAB',
    },
    2048,
  ),
};
