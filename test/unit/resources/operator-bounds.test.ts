import assert from 'node:assert/strict';
import { FieldFault } from '../../../src/model/document/fields.ts';
import { MAX_HOST_CHARACTERS, MAX_PATH_CHARACTERS } from '../../../src/model/bounds.ts';
import { boundHostsField, boundPrefixesField } from '../../../src/resources/operator-bounds.ts';

describe('the bounds of an operator, as they are given', () => {
  it('are hosts and prefixes in the form in which endpoints have them', () => {
    assert.deepEqual(boundHostsField(['API.example.com', '*.Example.com']), ['api.example.com', '*.example.com']);
    for (const wrong of ['', 'a b', 'https://a', 'a:80', '*', 'a/b', 7]) {
      assert.ok(boundHostsField([wrong]) instanceof FieldFault, String(wrong));
    }
    assert.ok(boundHostsField(['a.com', 'A.com']) instanceof FieldFault);
    assert.deepEqual(boundPrefixesField(['/pay', '/']), ['/pay', '/']);
    for (const wrong of ['', 'pay', '/a/../b', '/a//b', '/a?b', '/a;b', null]) {
      assert.ok(boundPrefixesField([wrong]) instanceof FieldFault, String(wrong));
    }
    const many = Array.from({ length: 51 }, (_, at) => `/${String(at)}`);
    assert.ok(boundPrefixesField(many) instanceof FieldFault);
    assert.ok(boundPrefixesField('/pay') instanceof FieldFault);
    assert.ok(boundPrefixesField([`/${'a'.repeat(MAX_PATH_CHARACTERS)}`]) instanceof FieldFault);
    const longest = `/${'a'.repeat(MAX_PATH_CHARACTERS - 1)}`;
    assert.deepEqual(boundPrefixesField([longest]), [longest]);
    assert.ok(boundHostsField([`${'a.'.repeat(MAX_HOST_CHARACTERS)}com`]) instanceof FieldFault);
  });
});
