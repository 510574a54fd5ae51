import { fleetIdentity } from '@ratchet/contracts/identity'
import { redactDocuments } from '@ratchet/contracts/internal-logs'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { createRedact } from './create-redact.ts'

/** A logging service that answers as told, and what it was asked. */
function loggingThat(answer: () => unknown) {
  const asked: unknown[] = []
  const call = async (endpoint: unknown, { body }: { readonly body?: unknown }, identity: unknown) => {
    asked.push({ endpoint, body, identity })
    return answer() as never
  }
  return { asked, redact: createRedact({ call } as unknown as FleetClient) }
}

it('gives what was redacted, what had no secret as it was, and null for what cannot be redacted', async () => {
  const data = [{ kind: 'done', document: '[x]' }, { kind: 'done', document: null }, { kind: 'failed' }]
  const { asked, redact } = loggingThat(() => ({ data }))
  expect(await redact(fleetIdentity, ['a', 'b', 'c'])).toEqual(['[x]', 'b', null])
  expect(asked).toEqual([{ endpoint: redactDocuments, body: { documents: ['a', 'b', 'c'] }, identity: fleetIdentity }])
})

it('gives nothing unredacted for an answer that is too short', async () => {
  const { redact } = loggingThat(() => ({ data: [] }))
  expect(await redact(fleetIdentity, ['a'])).toEqual([null])
})

it('passes on that the log is away', async () => {
  const { redact } = loggingThat(() => {
    throw new FleetCallError('away', { status: 0 })
  })
  await expect(redact(fleetIdentity, ['a'])).rejects.toThrow(FleetCallError)
})
