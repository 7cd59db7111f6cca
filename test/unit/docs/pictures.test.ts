import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findDocuments, projectRoot, readDocument } from '../../support/docs/documents.ts';

const folder = 'docs/pictures';
const pictures = readdirSync(join(projectRoot, folder)).map((name) => `${folder}/${name}`);

describe('the pictures of the documents', () => {
  it('are in a page each, which says in words what they show', () => {
    const pages = findDocuments().map(readDocument).join('\n');
    for (const picture of pictures) {
      const name = picture.slice('docs/'.length);
      const texts = [...pages.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].filter(([, , path]) => path === name);
      assert.ok(texts.length > 0 && texts.every(([, text = '']) => text.length >= 50), picture);
    }
  });

  it('have a title and a description, and colours for the dark', () => {
    for (const picture of pictures) {
      const text = readDocument(picture);
      assert.match(text, /<title id="title">.{20,}<\/title>/, picture);
      assert.match(text, /<desc id="desc">.{100,}<\/desc>/, picture);
      assert.match(text, /@media \(prefers-color-scheme: dark\)/, picture);
    }
  });

  it('hold no script and nothing from elsewhere', () => {
    for (const picture of pictures) {
      const text = readDocument(picture).replace('xmlns="http://www.w3.org/2000/svg"', '');
      assert.doesNotMatch(text, /<script|<image|<use|@import|url\(|href|on\w+=|https?:/, picture);
    }
  });
});
