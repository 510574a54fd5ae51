import type { Endpoint } from '@ratchet/contracts/endpoint'
import { publishWebhookEvent } from '@ratchet/contracts/internal-alias'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { createWebhookPublisher } from './publish-webhook-event.ts'
import { workerIdentity } from './worker-identity.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const notice = {
  id: '00000000-0000-8000-8000-000000000001',
  type: 'criterion.drift_flagged',
  timestamp: new Date('2026-11-21T12:00:00.000Z'),
  data: { object: 'criterion', id: 'crit_1' },
  identity: workerIdentity(workspaceId, workspaceId),
} as const

/** The alias service, answering what it is told; that has to be what its endpoint takes. */
function reported(answer: object | Error) {
  const heard: unknown[] = []
  const call = async (endpoint: Endpoint, { body }: { readonly body?: unknown }, identity: unknown) => {
    expect(endpoint).toBe(publishWebhookEvent)
    heard.push({ ...(endpoint.body.parse(body) as object), identity })
    if (answer instanceof Error) throw answer
    return answer
  }
  return { report: createWebhookPublisher({ call } as unknown as Pick<FleetClient, 'call'>), heard }
}

it.each([true, false])('tells what happened, and it is taken whether or not it was known: %s', async (accepted) => {
  const { report, heard } = reported({ accepted })
  expect(await report(notice)).toBe('taken')
  expect(heard).toEqual([{ ...notice, timestamp: '2026-11-21T12:00:00.000Z' }])
})

it.each([400, 413])('says so when it is refused for good with %d', async (status) => {
  expect(await reported(new FleetCallError('no', { status })).report(notice)).toBe('refused')
})

it.each([0, 401, 403, 404, 408, 429, 500, 503])('is to be told again after %d', async (status) => {
  await expect(reported(new FleetCallError('later', { status })).report(notice)).rejects.toMatchObject({ status })
})

it('passes on what is no refusal', async () => {
  await expect(reported(new TypeError('a mistake of ours')).report(notice)).rejects.toThrow('a mistake of ours')
})
