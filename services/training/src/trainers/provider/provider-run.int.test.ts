import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { type TrainingRun, trainingRun } from '../../driver/training-run.fixture.ts'
import { createFireworksApi } from './fireworks-api.ts'
import { createProviderCalls } from './provider-calls.ts'
import { type ConnectedProvider, createProviderTrainer } from './provider-trainer.ts'
import { type ScriptedProvider, startScriptedProvider } from './scripted-provider.fixture.ts'
import { createTogetherApi } from './together-api.ts'

let run: TrainingRun

const lineOf = (index: number) => {
  const messages = [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: `Answer ${index}`, weight: 1 },
  ]
  return `${JSON.stringify({ messages })}\n`
}
const data = Buffer.from(Array.from({ length: 100 }, (_, index) => lineOf(index)).join(''))

beforeAll(async () => {
  run = await trainingRun({ attemptLeaseMs: 3_000 })
})
afterAll(() => run.drop())

describe.each(['together', 'fireworks'] as const)('%s', (name) => {
  let provider: ScriptedProvider
  beforeEach(async () => {
    provider = await startScriptedProvider()
  })
  afterEach(async () => {
    await provider.stop()
    expect(run.money.failures.splice(0)).toEqual([])
  })

  function connect(killed: AbortSignal): ConnectedProvider {
    const baseUrl = name === 'together' ? `${provider.url}/v1` : provider.url
    const calls = createProviderCalls({ baseUrl, apiKey: 'a-key', killed, retryForMs: 5_000 })
    const api = name === 'together' ? createTogetherApi(calls) : createFireworksApi({ calls, account: 'acme', killed })
    return { api, close: calls.close }
  }

  const startWorker = () =>
    run.startWorker({
      trainerOf: (onExit) =>
        createProviderTrainer({
          name,
          slots: 2,
          connect,
          now: () => new Date(),
          pollMs: 20,
          retryForMs: 2_000,
          onFailed: (error) => run.money.failures.push(error),
          onExit,
        }),
    })

  const endOf = (id: string, status: string) =>
    eventually(async () => {
      const job = await run.job(id)
      expect(job).toMatchObject({ status, held_nano: '0' })
      return job
    })
  const chargedFor = (id: string) => (run.money.postings.get(id) ?? []).reduce((sum, each) => sum + each, 0n)

  it('trains a job at the provider, holds and charges what the provider counted, and names its model', async () => {
    provider.script([
      { state: 'waiting' },
      { state: 'running', progress: 0.3, tokens: 20_000 },
      { state: 'running', progress: 0.9, tokens: 20_000 },
      { state: 'succeeded', progress: 1, tokens: 20_000 },
    ])
    provider.refuse(1)
    const worker = startWorker()
    const id = await run.createJob({ data, trainer: name })
    const job = await endOf(id, 'succeeded')
    await worker.stop()
    expect(job).toMatchObject({ tokens_exact: true, lost_attempts: 0 })
    // The price is a micro-dollar per token.
    expect(chargedFor(id)).toBe(20_000_000n)
    expect(provider.created.size).toBe(1)
    expect([...provider.keys]).toEqual(['Bearer a-key'])
    expect([...provider.files.values()][0]).toContain('Question 1')
    const checkpoints = await run.checkpoints(id)
    expect(checkpoints.at(-1)).toMatchObject({
      served_as: expect.stringMatching(`^${name}/.*ratchet-`),
      servable: true,
    })
  })

  it('goes on with the same job after its worker was killed, and after it was stopped', async () => {
    provider.script([{ state: 'running', progress: 0.5 }])
    const id = await run.createJob({ data, trainer: name })
    const killed = startWorker()
    await eventually(async () => expect(await run.checkpoints(id)).toHaveLength(1))
    await killed.kill()
    await run.passTime(id)
    const stopped = startWorker()
    await eventually(async () => expect(await run.attempts(id)).toHaveLength(2))
    await eventually(async () => expect(await run.checkpoints(id)).toHaveLength(2))
    await stopped.stop()
    provider.script([])
    const last = startWorker()
    await run.passTime(id)
    await eventually(async () => expect(await run.attempts(id)).toHaveLength(3))
    await run.ask(id, 'cancel')
    const job = await endOf(id, 'cancelled')
    await last.stop()
    expect(provider.created.size).toBe(1)
    expect(provider.cancelled).toHaveLength(1)
    // Only the killed one counts.
    expect(job.lost_attempts).toBe(1)
    expect(chargedFor(id)).toBe(0n)
  })

  it('cancels at the provider when a job is paused, and begins again when it is resumed', async () => {
    provider.script([{ state: 'running', progress: 0.5 }])
    const worker = startWorker()
    const id = await run.createJob({ data, trainer: name })
    await eventually(async () => expect(await run.checkpoints(id)).toHaveLength(1))
    await run.ask(id, 'pause')
    await endOf(id, 'paused')
    provider.script([{ state: 'succeeded', progress: 1 }])
    await run.resume(id)
    const job = await endOf(id, 'succeeded')
    await worker.stop()
    expect(provider.created.size).toBe(2)
    expect(provider.cancelled).toHaveLength(1)
    expect(chargedFor(id)).toBe(BigInt(job.total_tokens) * 1_000n)
  })

  it('fails with the reason of the provider, and charges nothing', async () => {
    provider.script([{ state: 'failed', message: 'The dataset has too few examples.' }])
    const worker = startWorker()
    const id = await run.createJob({ data, trainer: name })
    const job = await endOf(id, 'failed')
    await worker.stop()
    expect(job.error_message).toBe('The dataset has too few examples.')
    expect([chargedFor(id), job.lost_attempts]).toEqual([0n, 0])
  })

  it('ends the job of the provider when the wallet does not cover what it counted', async () => {
    provider.script([{ state: 'running', progress: 0.1, tokens: 90_000_000_000 }])
    const id = await run.createJob({ data, trainer: name })
    run.money.refuseAbove(id, 300_000_000n)
    const worker = startWorker()
    const job = await endOf(id, 'failed')
    await eventually(() => expect(provider.cancelled).toHaveLength(1))
    await worker.stop()
    expect(job.error_code).toBe('insufficient_balance')
    expect(chargedFor(id)).toBe(0n)
  })

  it('has one job at the provider, which is charged once, when the answer to its creation was lost', async () => {
    provider.script([{ state: 'succeeded', progress: 1, tokens: 20_000 }])
    provider.loseCreations(1)
    const worker = startWorker()
    const id = await run.createJob({ data, trainer: name })
    const job = await endOf(id, 'succeeded')
    await worker.stop()
    expect([provider.created.size, job.lost_attempts, chargedFor(id)]).toEqual([1, 0, 20_000_000n])
  })

  it('creates a job again that the provider did not take', async () => {
    provider.script([{ state: 'succeeded', progress: 1, tokens: 20_000 }])
    const worker = startWorker()
    const id = await run.createJob({ data, trainer: name })
    provider.refuseCreations(2)
    await endOf(id, 'succeeded')
    await worker.stop()
    expect([provider.created.size, chargedFor(id)]).toEqual([1, 20_000_000n])
  })

  it('charges once what the provider counted, whenever its workers are killed', async () => {
    const random = seededRandom(name.length)
    const running = { state: 'running', progress: 0.5, tokens: 20_000 } as const
    for (let each = 0; each < 6; each += 1) {
      provider.script([{ state: 'waiting' }, running, running, { state: 'succeeded', progress: 1, tokens: 20_000 }])
      const jobsBefore = provider.created.size
      const id = await run.createJob({ data, trainer: name })
      for (let kills = 0; kills < 3; kills += 1) {
        const killed = startWorker()
        await elapse(20 + 250 * random())
        await killed.kill()
        await run.passTime(id)
      }
      const last = startWorker()
      await endOf(id, 'succeeded')
      await last.stop()
      expect([provider.created.size - jobsBefore, chargedFor(id)]).toEqual([1, 20_000_000n])
    }
    expect(provider.cancelled).toEqual([])
  })
})
