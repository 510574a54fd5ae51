import { costNanoHeader, latencyMsHeader } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetRequest } from '@ratchet/service-kit/fleet/fleet-client'
import { type WatchedAlias, watchedAlias } from '../gate/watched-alias.fixture.ts'
import type { ShadowEvent } from './mirror-request.ts'
import { mirrorRequest } from './mirror-request.ts'

let own: WatchedAlias

beforeAll(async () => {
  own = await watchedAlias()
})

afterAll(() => own.drop())

const mirrored = { canary_percent: 0, gate_mode: null, shadow_model: 'sim/medium', shadow_percent: 100 } as const
const traits = { provider: 'sim', capabilities: ['chat'], unsupportedParameters: [] }

interface ModelCall {
  readonly key: string
  readonly purpose: string | undefined
  readonly model: string
}

/** A request to mirror, and an inference service that answers from a script. */
async function answering(...script: readonly (object | number)[]) {
  const calls: ModelCall[] = []
  const events: ShadowEvent[] = []
  const send = async ({ headers = {}, body = '{}' }: FleetRequest, { purpose }: { purpose?: string }) => {
    calls.push({ key: headers['idempotency-key'] ?? '', purpose, model: JSON.parse(String(body)).model })
    const scripted = script[calls.length - 1] ?? 0
    if (scripted === 0) throw new FleetCallError('unavailable', { status: 0 })
    const error = { error: { message: 'no', type: 'x', code: null, param: null, request_id: 'r' } }
    const [status, answer] = typeof scripted === 'number' ? [scripted, error] : [200, scripted]
    const reported = { [costNanoHeader]: '7000', [latencyMsHeader]: '12' }
    return { status, headers: reported, body: Buffer.from(JSON.stringify(answer)) }
  }
  const deps = {
    shadows: own.deps.shadows,
    log: own.deps.log,
    judging: own.deps.judging,
    judgeOf: own.deps.judgeOf,
    inference: { send: send as never },
    traitsOf: async () => traits,
    onEvent: (event: ShadowEvent) => events.push(event),
  }
  const id = await shadowId()
  return { id, calls, events, run: () => mirrorRequest(deps as never, id) }
}

const completion = (content: string) => ({
  model: 'm',
  choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }],
})

/** The id of a request that is to be mirrored. */
async function shadowId(): Promise<string> {
  await own.put(mirrored)
  own.clock.advance(10_000)
  own.answer('target', { verdict: 'fail' })
  own.clock.advance(60_000)
  await own.evaluate()
  return String((await rows())[0]?.id)
}

async function rows(): Promise<Readonly<Record<string, unknown>>[]> {
  return (await own.operator.query('SELECT * FROM shadow_sample')).rows
}

const passTime = () => own.operator.query(`UPDATE shadow_sample SET due_at = now() - interval '1 second'`)

beforeEach(() => own.clear())

it('calls the shadow model for the workspace, and orders a verdict on its answer', async () => {
  const { calls, events, run } = await answering(completion('Hello.'))
  await run()
  expect(calls).toMatchObject([{ purpose: 'shadow', model: 'sim/medium' }])
  expect(own.planned).toMatchObject([{ source: 'shadow' }])
  expect(events).toMatchObject([{ kind: 'answered' }])
  expect(await rows()).toMatchObject([{ state: 'answered', cost_nano: '7000', latency_ms: 12, failure: null }])
  await own.evaluate()
  expect(await rows()).toMatchObject([{ state: 'done', verdict: 'fail' }])
  expect((await own.deps.canary.counts(await own.read(), own.clock.now())).shadow).toMatchObject({
    mirrored: 1,
    answered: 1,
    errors: 0,
    scored: 1,
    fails: 1,
    costUsd: 0.000007,
    latencyMs: 12,
  })
})

it('calls the shadow model once, also with concurrent runs', async () => {
  const { calls, run } = await answering(completion('Hello.'))
  await Promise.all([run(), run()])
  await run()
  expect(calls).toHaveLength(1)
})

it('retries a failed call under the same key', async () => {
  const { calls, events, run } = await answering(502, 502, completion('Hello.'))
  await run()
  await passTime()
  await run()
  await passTime()
  await run()
  expect(new Set(calls.map(({ key }) => key)).size).toBe(1)
  expect(events.map(({ kind }) => kind)).toEqual(['retried', 'retried', 'answered'])
})

it('is dead-lettered after five failures', async () => {
  const { events, run } = await answering(502, 502, 502, 502, 502)
  for (let each = 0; each < 6; each += 1) {
    await run()
    await passTime()
  }
  expect(events.at(-1)).toMatchObject({ kind: 'dead_lettered' })
  expect((await own.deps.canary.counts(await own.read(), own.clock.now())).shadow).toMatchObject({
    mirrored: 1,
    errors: 1,
    answered: 0,
  })
})

it.each([
  [400, 'refused', 1],
  [402, 'unpaid', 0],
])('does not retry a refusal with %d', async (status, failure, errors) => {
  const { calls, run } = await answering(status)
  await run()
  await passTime()
  await run()
  expect(calls).toHaveLength(1)
  expect(await rows()).toMatchObject([{ state: 'done', failure, cost_nano: '0' }])
  const { shadow } = await own.deps.canary.counts(await own.read(), own.clock.now())
  expect(shadow).toMatchObject({ mirrored: 1, errors })
})

it('makes no call for a deleted exchange or a removed shadow model', async () => {
  const first = await answering(completion('Hello.'))
  await own.put({ ...mirrored, shadow_percent: 0, shadow_model: null })
  await first.run()
  expect(first.calls).toEqual([])
  await own.clear()
  const second = await answering(completion('Hello.'))
  Object.assign(own.deps.log, { entry: async () => null })
  await second.run()
  expect(second.calls).toEqual([])
  expect(await rows()).toMatchObject([{ state: 'done', failure: 'gone' }])
})
