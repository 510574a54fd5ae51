import { readEntry } from './read-entry.ts'

const read = (text: string) =>
  readEntry({
    text,
    workspaceId: 'w',
    retentionDays: 7,
    id: '00000000-0000-7000-8000-000000000001',
    at: new Date('2026-11-21T10:00:00Z'),
  })

const answer = { role: 'assistant', content: 'Yes' }
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const withContent = (json: string) =>
  `{"messages":[{"role":"user","content":${json}}],"model":"m","response":${JSON.stringify(answer)}}`

it.each([1_000, 4_000, 6_000, 1_000_000])('refuses an entry of %d levels', (levels) => {
  expect(read(withContent(nested(levels)))).toMatchObject({ kind: 'refused', code: 'invalid_request', param: null })
})

it('reads an entry whose answer is nested as deep as that of a provider may be', () => {
  expect(read(withContent(nested(200)))).toMatchObject({ kind: 'read' })
})

const long = 'x'.repeat(300 * 1024)

it.each([
  ['params', { params: { stop: `${long}${long}` } }],
  ['the format of the answer', { response_format: { type: 'json_schema', schema: { description: `${long}${long}` } } }],
  ['params and messages together', { params: { stop: long }, messages: [{ role: 'user', content: long }] }],
])('does not store an entry whose %s are too large', (_what, members) => {
  const entry = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], response: answer, ...members }
  expect(read(JSON.stringify(entry))).toEqual({ kind: 'too-large' })
})

it('does not parse an entry with more values than a stored one can have', () => {
  // Not JSON, which only a parser would notice.
  expect(read(withContent(`[${'0,'.repeat(350_000)}]`))).toEqual({ kind: 'too-large' })
})
