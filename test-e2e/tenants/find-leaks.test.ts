import { findLeaks, type SeenAnswer } from './find-leaks.ts'

const answer = (asked: string, requestId: string, change: Partial<SeenAnswer> = {}): SeenAnswer => ({
  status: 404,
  headers: { 'x-request-id': requestId, date: requestId, 'content-type': 'application/json' },
  body: `{"error":{"message":"No log ${asked}.","request_id":"${requestId}"}}`,
  asked,
  ...change,
})

it('finds no difference between answers that differ only in the request id and the requested id', () => {
  expect(findLeaks(answer('log_a', 'r1'), answer('log_b', 'r2'))).toEqual([])
})

it.each<[string, Partial<SeenAnswer>, string]>([
  ['the status', { status: 403 }, 'status: 404 | 403'],
  ['a message', { body: '{"error":{"message":"Not yours."}}' }, 'body:'],
  ['one byte more', { body: '{"error":{"message":"No log log_b.","request_id":"r2"}} ' }, 'body:'],
  [
    'a header more',
    { headers: { 'x-request-id': 'r2', 'content-type': 'application/json', etag: '1' } },
    'header etag: undefined | 1',
  ],
  [
    'another header value',
    { headers: { 'x-request-id': 'r2', 'content-type': 'text/html' } },
    'header content-type: application/json | text/html',
  ],
])('finds a difference: %s', (_what, leak, says) => {
  expect(findLeaks(answer('log_a', 'r1'), answer('log_b', 'r2', leak))).toEqual([expect.stringContaining(says)])
})
