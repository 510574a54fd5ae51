import { redactedParts } from './redacted-parts.ts'

it('finds every place of a removed secret', () => {
  expect(redactedParts('key [redacted], and [redacted][redacted]')).toEqual(['key ', true, ', and ', true, true])
  expect(redactedParts('nothing')).toEqual(['nothing'])
})
