import { brandOf } from '@ratchet/contracts/brand'
import { clientMetadataOf } from './client-metadata.ts'
import { requestWith } from './request-records.fixture.ts'

const read = (headers: Readonly<Record<string, string>>) => clientMetadataOf(brandOf(), requestWith(headers))

it('reads user, session and metadata, whose names are in lower case', () => {
  const named = { 'X-Svc-User': 'u1', 'X-Svc-Session': 's1', 'X-Svc-Metadata-Plan': 'pro', 'x-svc-metadata-empty': '' }
  expect(read(named)).toEqual({ user: 'u1', conversationId: 's1', metadata: { plan: 'pro' } })
  expect(read({})).toEqual({ user: null, conversationId: null, metadata: {} })
})

it.each<[string, Readonly<Record<string, string>>]>([
  ['X-Svc-User', { 'x-svc-user': 'u'.repeat(129) }],
  ['X-Svc-Session', { 'x-svc-session': 's\u0001' }],
  ['X-Svc-Metadata-plan', { 'x-svc-metadata-plan': 'p'.repeat(257) }],
  ['X-Svc-Metadata', Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`x-svc-metadata-k${n}`, 'v']))],
])('refuses %s beyond its limits, and names it', (param, headers) => {
  expect(() => read(headers)).toThrow(expect.objectContaining({ code: 'invalid_request', param }))
})
