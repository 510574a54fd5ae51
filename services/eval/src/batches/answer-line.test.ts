import { costNanoHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { decideRetry, WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import { answerLine } from './answer-line.ts'
import type { LeasedLine } from './batch.ts'

const id = '00000000-0000-7000-8000-00000000000a'
const key = '00000000-0000-7000-8000-00000000000b'

const line = (failures = 0): LeasedLine => ({
  id,
  generation: 1,
  failures,
  customId: 'a',
  body: '{"model":"m"}',
  batch: {
    id,
    workspaceId: id,
    endpoint: '/v1/chat/completions',
    headers: { 'X-Svc-Tag': 'nightly' },
    createdBy: id,
    keyId: key,
  },
})

/** What became of a line that inference answers so, and what it was sent. */
async function answered(status: number, body: object = {}, { failures = 0, headers = {}, mayRun = true } = {}) {
  const sent: unknown[] = []
  const send: FleetClient['send'] = async (request, identity) => {
    sent.push({ request, identity })
    return { status, headers: { [requestIdHeader]: 'r1', ...headers }, body: Buffer.from(JSON.stringify(body)) }
  }
  const deps = { lines: { begin: async () => ({ reservedNano: 70n, mayRun }) }, inference: { send } }
  const outcome = await answerLine(deps, line(failures)).catch((error: unknown) => error)
  return { outcome, sent }
}

const refusal = (code: string) => ({ error: { message: 'No.', type: 't', code, param: null, request_id: 'r1' } })

it('sends a request of the workspace under its own key, and takes it out of the hold of the batch', async () => {
  const { outcome, sent } = await answered(200, { ok: true }, { headers: { [costNanoHeader]: '12' } })
  expect(outcome).toEqual({ statusCode: 200, requestId: 'r1', response: '{"ok":true}', costNano: 12n })
  const headers = { 'X-Svc-Tag': 'nightly', 'idempotency-key': id }
  expect(sent).toMatchObject([
    {
      request: { method: 'POST', path: '/v1/chat/completions', headers, body: '{"model":"m"}' },
      identity: { workspaceId: id, userId: id, keyId: key, channel: 'batch', batchHold: { id, keepNano: '70' } },
    },
  ])
})

it.each([
  [402, 'insufficient_balance'],
  [402, 'budget_exceeded'],
  [409, 'conflict'],
  [429, 'rate_limit_exceeded'],
  [503, 'service_unavailable'],
])('waits at %i %s, however often', async (status, code) => {
  expect((await answered(status, refusal(code), { failures: 9 })).outcome).toBeInstanceOf(WorkPostponed)
})

it('waits when its own identity is refused', async () => {
  const { outcome } = await answered(401, refusal('invalid_api_key'), { failures: 9 })
  expect(decideRetry(outcome, 0).kind).toBe('postponed')
})

it('tries again when a provider fails, and takes the third failure for the answer', async () => {
  expect((await answered(502, refusal('upstream_error'))).outcome).toBeInstanceOf(FleetCallError)
  expect((await answered(502, refusal('upstream_error'), { failures: 2 })).outcome).toMatchObject({ statusCode: 502 })
})

it.each([
  [400, 'invalid_request'],
  [403, 'model_not_allowed'],
  [404, 'model_not_found'],
])('takes %i %s for the answer, which costs nothing', async (status, code) => {
  expect((await answered(status, refusal(code))).outcome).toMatchObject({
    statusCode: status,
    response: JSON.stringify(refusal(code)),
    costNano: 0n,
  })
})

it('sends nothing for a key that was revoked', async () => {
  const { outcome, sent } = await answered(200, {}, { mayRun: false })
  expect([outcome, sent]).toEqual([{ error: 'caller_revoked' }, []])
})
