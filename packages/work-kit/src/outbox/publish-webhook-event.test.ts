import type { Endpoint } from '@ratchet/contracts/endpoint'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { publishWebhookEvent } from '@ratchet/contracts/internal-alias'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createWebhookPublisher } from './publish-webhook-event.ts'

const event = {
  id: '00000000-0000-8000-8000-000000000001',
  type: 'criterion.drift_flagged',
  timestamp: new Date('2026-11-21T12:00:00.000Z'),
  data: { object: 'criterion', id: 'crit_1' },
  identity: { ...fleetIdentity, workspaceId: '00000000-0000-7000-8000-0000000000aa', role: 'admin' },
} as const

/** A publisher whose alias service gives this answer, and the valid bodies that it sent. */
function publisher(answer: object | Error) {
  const sent: unknown[] = []
  const call = async (endpoint: Endpoint, { body }: { readonly body?: unknown }, identity: unknown) => {
    expect(endpoint).toBe(publishWebhookEvent)
    sent.push({ ...(endpoint.body.parse(body) as object), identity })
    if (answer instanceof Error) throw answer
    return answer
  }
  return { publish: createWebhookPublisher({ call } as unknown as Pick<FleetClient, 'call'>), sent }
}

it.each([true, false])(
  'an event is taken whether the alias service accepts its id as new or not: %s',
  async (accepted) => {
    const { publish, sent } = publisher({ accepted })
    expect(await publish(event)).toBe('taken')
    expect(sent).toEqual([{ ...event, timestamp: '2026-11-21T12:00:00.000Z' }])
  },
)

it.each([400, 413])('an event is refused for good with %d', async (status) => {
  expect(await publisher(new FleetCallError('no', { status })).publish(event)).toBe('refused')
})

it.each([0, 401, 403, 404, 408, 429, 500, 503])('an event may be retried after %d', async (status) => {
  await expect(publisher(new FleetCallError('later', { status })).publish(event)).rejects.toMatchObject({ status })
})

it('an error that is no answer of the alias service is thrown', async () => {
  await expect(publisher(new TypeError('a defect')).publish(event)).rejects.toThrow('a defect')
})
