import { carryKey } from './carriers.ts';
import { carrierOf, describeCarrier, type KeyCarrier, partsOf } from '../../../model/options/key-carrier.ts';
import { EXAMPLE_APP_KEY } from '../presentation/example-values.ts';
import { code } from '../../../model/document/markdown.ts';
import { describeSent, describeUnsigned, requestTo, type UnsignedRequest } from '../presentation/example-request.ts';
import type { Guide } from '../presentation/guide.ts';
import type { Presentation } from '../presentation/presentation.ts';

const USUAL_HEADER = 'X-App-Key';

const guide: Guide<'key'> = {
  title: 'App Key',
  summary: 'Every request carries your App Key, which is the secret itself: keep it as you keep a password.',
  rules: ({ keyNames }) => [
    ['App Key', keyNames.map(describe).join(', or ')],
    ...('header' in usualCarrierOf(keyNames) && keyNames.some((carrier) => 'query' in carrier)
      ? [['Prefer', 'the header: addresses end up in logs'] as const]
      : []),
  ],
  codes: () => ({
    CREDENTIALS_MISSING: 'There is no App Key where it is expected.',
    CREDENTIALS_MALFORMED: 'The App Key is empty, or appears twice.',
    AUTHENTICATION_FAILED: 'The App Key is not known, has expired or was revoked.',
  }),
  settings: ({ keyNames }) => {
    const carrier = usualCarrierOf(keyNames);
    return isWhole(carrier) && carrier.header.toLowerCase() === USUAL_HEADER.toLowerCase() ? {} : { carrier };
  },
  examples: ({ options }, target) => {
    const { reading, writing } = target;
    const requests: readonly (readonly [title: string, request: UnsignedRequest])[] = [
      ['Without a body', { method: reading }],
      ['With a query', { method: reading, query: '?year=2026' }],
      writing === null
        ? ['With an empty value', { method: reading, query: '?note=' }]
        : ['With a JSON body', { method: writing, type: 'application/json', body: '{"amount":12}' }],
    ];
    return requests.map(([title, request]) => {
      const sent = carryKey(requestTo(target, request), [usualCarrierOf(options.keyNames)], EXAMPLE_APP_KEY);
      return {
        title,
        unsigned: describeUnsigned(target, request),
        stringToSign: null,
        signature: null,
        sent: describeSent(sent),
      };
    });
  },
  exampleNote: `The App Key \`${EXAMPLE_APP_KEY}\` in these requests is an example that everyone may see, not yours. Nothing is signed.`,
};

/** How people and programs of partners speak of this method. */
export const keyPresentation: Presentation<'key'> = {
  name: 'App Key',
  sends: 'the App Key alone is sent',
  client: { method: 'key', type: 'Key', pythonType: 'Key', goType: 'Key', factory: 'key', shellOptions: [] },
  guide,
};

function describe(carrier: KeyCarrier): string {
  const { scheme, ...parts } = partsOf(carrier);
  const place = describeCarrier(carrierOf({ ...parts, scheme: null }), code);
  return scheme === null ? place : `${place}, after the word ${code(scheme)} and a blank`;
}

/** A header where there is one: addresses end up in logs. One that holds nothing else before others. */
function usualCarrierOf(carriers: readonly KeyCarrier[]): KeyCarrier {
  const whole = carriers.filter(isWhole);
  const usual = whole.find(({ header }) => header.toLowerCase() === USUAL_HEADER.toLowerCase());
  const [first] = carriers;
  return usual ?? whole[0] ?? carriers.find((carrier) => 'header' in carrier) ?? first ?? { header: USUAL_HEADER };
}

function isWhole(carrier: KeyCarrier): carrier is { readonly header: string } {
  return 'header' in carrier && carrier.scheme === undefined;
}
