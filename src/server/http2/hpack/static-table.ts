import { type Classify, type Field, FIELD_OVERHEAD_BYTES } from './field.ts';

/** RFC 7541 Appendix A, from index 1: `name` or `name=value`. */
const entries = `
:authority :method=GET :method=POST :path=/ :path=/index.html :scheme=http :scheme=https :status=200 :status=204
:status=206 :status=304 :status=400 :status=404 :status=500 accept-charset accept-encoding=gzip,_deflate
accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control
content-disposition content-encoding content-language content-length content-location content-range content-type cookie
date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified
link location max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after server set-cookie
strict-transport-security transfer-encoding user-agent vary via www-authenticate`;

/** Number of entries; the dynamic table's indices come after them (RFC 7541 §2.3.3). */
export const STATIC_ENTRIES = 61;

/** The static table; index 1 of HPACK is element 0. */
export function createStaticTable(classify: Classify): readonly Field[] {
  return entries
    .trim()
    .split(/\s+/)
    .map((entry) => {
      const [name = '', text = ''] = entry.split('=');
      const value = text.replace('_', ' ');
      const sizeBytes = name.length + value.length + FIELD_OVERHEAD_BYTES;
      return { name, value, kind: classify(name), sizeBytes, malformedValue: false };
    });
}
