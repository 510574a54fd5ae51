import { requestIdHeader } from '@ratchet/contracts/identity'
import { forwardedId } from './forwarded-id.ts'

const idOf = forwardedId(() => new Date('2026-11-21T10:00:00Z'))
const asked = (id?: string) => ({ headers: id === undefined ? {} : { [requestIdHeader]: id } })

it('returns the request id of the edge', () => {
  expect(idOf(asked('r1'))).toBe('r1')
})

it.each([undefined, ''])('creates an id for a request with the id %j', (id) => {
  expect(idOf(asked(id))).toMatch(/^01a1fd8c-6900-7/)
  expect(idOf(asked(id))).not.toBe(idOf(asked(id)))
})
