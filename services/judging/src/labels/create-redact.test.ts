import { fleetIdentity } from '@ratchet/contracts/identity'
import { redactDocuments } from '@ratchet/contracts/internal-logs'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createRedact } from './create-redact.ts'

/** A logging service with a fixed answer, and the calls that it received. */
function loggingThat(answer: () => unknown) {
  const calls: unknown[] = []
  const call = async (endpoint: unknown, { body }: { readonly body?: unknown }, identity: unknown) => {
    calls.push({ endpoint, body, identity })
    return answer() as never
  }
  return { calls, redact: createRedact({ call } as unknown as FleetClient) }
}

it('gives redacted documents, unchanged documents without secrets, and null for those that cannot be redacted', async () => {
  const data = [{ kind: 'done', document: '[x]' }, { kind: 'done', document: null }, { kind: 'failed' }]
  const { calls, redact } = loggingThat(() => ({ data }))
  expect(await redact(fleetIdentity, ['a', 'b', 'c'])).toEqual(['[x]', 'b', null])
  expect(calls).toEqual([{ endpoint: redactDocuments, body: { documents: ['a', 'b', 'c'] }, identity: fleetIdentity }])
})

it('gives null, not the original, when the answer is too short', async () => {
  const { redact } = loggingThat(() => ({ data: [] }))
  expect(await redact(fleetIdentity, ['a'])).toEqual([null])
})

it('rethrows when the log is unavailable', async () => {
  const { redact } = loggingThat(() => {
    throw new FleetCallError('away', { status: 0 })
  })
  await expect(redact(fleetIdentity, ['a'])).rejects.toThrow(FleetCallError)
})
