import assert from 'node:assert/strict';

import {
  chooseBodyForm,
  MAX_FORM_BODY_BYTES,
  MAX_JSON_BODY_BYTES,
} from '../../../../../src/check/methods/parameter-signature/body-form.ts';
import { emptyMessage, toSignable } from '../../../../support/signing/signed-message.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

function choose(
  bodyBytes: number,
  headers: readonly (readonly [string, string])[],
  unsignedBody: 'refuse' | 'forward' = 'refuse',
): unknown {
  return chooseBodyForm(toSignable({ ...emptyMessage, headers, body: Buffer.alloc(bodyBytes, 'x') }), unsignedBody);
}

const unverifiable = (detail: string): object => ({ refused: 'BODY_NOT_VERIFIABLE', detail });
const REPEATED = unverifiable('the request has more than one Content-Type');
const OTHER = unverifiable('the body is neither a form nor JSON');
const CHARSET = unverifiable('the charset of the body is not UTF-8');
const PARAMETERS = unverifiable('the parameters of the Content-Type are not well formed');
const ENCODED = unverifiable('the body has a Content-Encoding');

describe('form of a parameter signature', () => {
  it('is the URL without a body, whatever the headers say', () => {
    for (const headers of [
      [],
      [['content-type', FORM]],
      [['content-type', JSON_TYPE]],
      [['content-type', 'text/plain,x; charset=latin1']],
      [
        ['content-type', 'a/b'],
        ['content-type', 'c/d'],
      ],
      [['content-encoding', 'gzip']],
    ] as const) {
      assert.equal(choose(0, headers), 'url');
      assert.equal(choose(0, headers, 'forward'), 'url');
    }
  });

  it('is chosen by the media type of a body', () => {
    assert.equal(choose(1, [['content-type', FORM]]), 'form');
    assert.equal(
      choose(1, [
        ['Content-Type', 'Application/Json; Charset=utf8'],
        ['content-encoding', 'IDENTITY'],
      ]),
      'json',
    );
  });

  it('is the URL beside a body of another media type only when that is forwarded unsigned', () => {
    for (const headers of [
      [],
      [['content-type', '']],
      [
        ['content-type', 'text/plain; charset=x'],
        ['content-encoding', 'gzip'],
      ],
    ] as const) {
      assert.deepEqual(choose(1, headers), OTHER);
      assert.equal(choose(1, headers, 'forward'), 'url');
    }
  });

  for (const unsignedBody of ['refuse', 'forward'] as const) {
    for (const [what, headers, refusal] of [
      [
        'two content types',
        [
          ['content-type', FORM],
          ['content-type', FORM],
        ],
        REPEATED,
      ],
      ['a comma in the content type', [['content-type', `${FORM},${FORM}`]], REPEATED],
      ['a comma in another content type', [['content-type', 'text/plain; a="b,c"']], REPEATED],
      ['another charset', [['content-type', `${JSON_TYPE}; charset=latin1`]], CHARSET],
      ['two charsets', [['content-type', `${JSON_TYPE}; charset=utf-8; charset=utf-8`]], CHARSET],
      ['parameters that cannot be read', [['content-type', `${JSON_TYPE}; charset`]], PARAMETERS],
      [
        'a content encoding',
        [
          ['content-type', JSON_TYPE],
          ['content-encoding', 'gzip'],
        ],
        ENCODED,
      ],
      [
        'an empty content encoding',
        [
          ['content-type', JSON_TYPE],
          ['content-encoding', ''],
        ],
        ENCODED,
      ],
      [
        'two content encodings',
        [
          ['content-type', JSON_TYPE],
          ['content-encoding', 'identity'],
          ['content-encoding', 'identity'],
        ],
        ENCODED,
      ],
    ] as const) {
      it(`is refused with ${what} (unsignedBody: ${unsignedBody})`, () => {
        assert.deepEqual(choose(1, headers, unsignedBody), refusal);
      });
    }
  }

  it('takes a form of 10 485 760 bytes and JSON of 2 097 152, and no more', () => {
    assert.equal(MAX_FORM_BODY_BYTES, 10 * 1024 * 1024);
    assert.equal(MAX_JSON_BODY_BYTES, 2 * 1024 * 1024);
    assert.equal(choose(MAX_FORM_BODY_BYTES, [['content-type', FORM]]), 'form');
    assert.equal(choose(MAX_JSON_BODY_BYTES, [['content-type', JSON_TYPE]]), 'json');
    assert.deepEqual(choose(MAX_FORM_BODY_BYTES + 1, [['content-type', FORM]]), {
      refused: 'BODY_TOO_LARGE',
      detail: 'the form body has more than 10485760 bytes',
    });
    assert.deepEqual(choose(MAX_JSON_BODY_BYTES + 1, [['content-type', JSON_TYPE]]), {
      refused: 'BODY_TOO_LARGE',
      detail: 'the json body has more than 2097152 bytes',
    });
  });

  it('looks at the size before the charset and the encoding, and sets other media types no limit', () => {
    const tooLarge = [
      ['content-type', `${JSON_TYPE}; charset=latin1`],
      ['content-encoding', 'gzip'],
    ] as const;
    assert.ok((choose(MAX_JSON_BODY_BYTES + 1, tooLarge) as { refused: string }).refused === 'BODY_TOO_LARGE');
    assert.deepEqual(choose(MAX_FORM_BODY_BYTES + 1, [['content-type', 'text/plain']]), OTHER);
    assert.deepEqual(choose(MAX_JSON_BODY_BYTES + 1, [['content-type', `${JSON_TYPE},x`]]), REPEATED);
  });
});
