import { costNanoHeader, latencyMsHeader } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetRequest } from '@ratchet/service-kit/fleet-client'
import { type WatchedAlias, watchedAlias } from '../gate/watched-alias.fixture.ts'
import type { ShadowEvent } from './mirror-request.ts'
import { mirrorRequest } from './mirror-request.ts'

let own: WatchedAlias

beforeAll(async () => {
  own = await watchedAlias()
})

afterAll(() => own.drop())

const mirror = { canary_percent: 0, gate_mode: null, shadow_model: 'sim/medium', shadow_percent: 100 } as const
const traits = { provider: 'sim', capabilities: ['chat'], unsupportedParameters: [] }

interface Asked {
  readonly key: string
  readonly purpose: string | undefined
  readonly model: string
}

/** Inference that answers from a script, and what came of it. */
async function answering(...script: readonly (object | number)[]) {
  const asked: Asked[] = []
  const events: ShadowEvent[] = []
  const send = async ({ headers = {}, body = '{}' }: FleetRequest, { purpose }: { purpose?: string }) => {
    asked.push({ key: headers['idempotency-key'] ?? '', purpose, model: JSON.parse(body).model })
    const said = script[asked.length - 1] ?? 0
    if (said === 0) throw new FleetCallError('away', { status: 0 })
    const error = { error: { message: 'no', type: 'x', code: null, param: null, request_id: 'r' } }
    const [status, answer] = typeof said === 'number' ? [said, error] : [200, said]
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
  return { id, asked, events, run: () => mirrorRequest(deps as never, id) }
}

const says = (content: string) => ({
  model: 'm',
  choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }],
})

/** A request that is to be mirrored. */
async function shadowId(): Promise<string> {
  await own.put(mirror)
  own.clock.advance(10_000)
  own.answer('target', { verdict: 'fail' })
  own.clock.advance(60_000)
  await own.evaluation()
  return String((await rows())[0]?.id)
}

async function rows(): Promise<Readonly<Record<string, unknown>>[]> {
  return (await own.operator.query('SELECT * FROM shadow_sample')).rows
}

const passTime = () => own.operator.query(`UPDATE shadow_sample SET due_at = now() - interval '1 second'`)

beforeEach(() => own.clear())

it('asks the mirror on behalf of the workspace, and has the judge look at what it answered', async () => {
  const { asked, events, run } = await answering(says('Hello.'))
  await run()
  expect(asked).toMatchObject([{ purpose: 'shadow', model: 'sim/medium' }])
  expect(own.planned).toMatchObject([{ source: 'shadow' }])
  expect(events).toMatchObject([{ kind: 'answered' }])
  expect(await rows()).toMatchObject([{ state: 'answered', cost_nano: '7000', latency_ms: 12, failure: null }])
  await own.evaluation()
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

it('does nothing twice', async () => {
  const { asked, run } = await answering(says('Hello.'))
  await Promise.all([run(), run()])
  await run()
  expect(asked).toHaveLength(1)
})

it('asks again under the same key what was not answered, and gives up after five times', async () => {
  const { asked, events, run } = await answering(502, 502, says('Hello.'))
  await run()
  await passTime()
  await run()
  await passTime()
  await run()
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1)
  expect(events.map(({ kind }) => kind)).toEqual(['retried', 'retried', 'answered'])
})

it('gives up after five times', async () => {
  const { events, run } = await answering(502, 502, 502, 502, 502)
  for (let each = 0; each < 6; each += 1) {
    await run()
    await passTime()
  }
  expect(events.at(-1)).toMatchObject({ kind: 'poisoned' })
  expect((await own.deps.canary.counts(await own.read(), own.clock.now())).shadow).toMatchObject({
    mirrored: 1,
    errors: 1,
    answered: 0,
  })
})

it.each([
  [400, 'refused', 1],
  [402, 'unpaid', 0],
])('takes a refusal with %d for an answer that will not come', async (status, failure, errors) => {
  const { asked, run } = await answering(status)
  await run()
  await passTime()
  await run()
  expect(asked).toHaveLength(1)
  expect(await rows()).toMatchObject([{ state: 'done', failure, cost_nano: '0' }])
  const { shadow } = await own.deps.canary.counts(await own.read(), own.clock.now())
  expect(shadow).toMatchObject({ mirrored: 1, errors })
})

it('asks nobody for an exchange that is gone, or a mirror that was taken down', async () => {
  const first = await answering(says('Hello.'))
  await own.put({ ...mirror, shadow_percent: 0, shadow_model: null })
  await first.run()
  expect(first.asked).toEqual([])
  await own.clear()
  const second = await answering(says('Hello.'))
  Object.assign(own.deps.log, { entry: async () => null })
  await second.run()
  expect(second.asked).toEqual([])
  expect(await rows()).toMatchObject([{ state: 'done', failure: 'gone' }])
})
