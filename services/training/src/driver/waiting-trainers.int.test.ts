import { eventually } from '@ratchet/testing/eventually'
import type { Trainer } from '../trainers/trainer.ts'
import { type TrainingRun, trainingRun } from './training-run.fixture.ts'

/* Trainers that wait for a machine, such as pods of a cluster. */

let run: TrainingRun
beforeAll(async () => {
  run = await trainingRun({ attemptLeaseMs: 1_000 })
})
afterAll(() => run.drop())
afterEach(() => expect(run.money.failures.splice(0)).toEqual([]))

/** Has been given a job, and waits until a test says otherwise. */
function waitingTrainer() {
  const names = new Set<string>()
  const stopped: string[] = []
  const state = { isWaiting: true }
  const trainer: Trainer = {
    name: 'sim',
    slots: 1,
    outlivesWorker: true,
    start: async ({ name }) => void names.add(name),
    async stop(name) {
      stopped.push(name)
      names.delete(name)
    },
    list: async () => [...names].map((name) => ({ name, exitCode: null, isWaiting: state.isWaiting })),
    forget: async (name) => void names.delete(name),
  }
  return { trainer, stopped, state }
}

it('keeps an attempt while its trainer waits, and loses it when the trainer is silent afterwards', async () => {
  const { trainer, state } = waitingTrainer()
  const id = await run.createJob()
  const worker = run.startWorker({ trainerOf: () => trainer })
  const leaseOf = async () => (await run.attempts(id))[0]?.lease_until?.getTime() ?? 0
  await eventually(async () => expect(await leaseOf()).toBeGreaterThan(0))
  const first = await leaseOf()
  await eventually(async () => expect(await leaseOf()).toBeGreaterThan(first + 2_000))
  expect((await run.job(id)).lost_attempts).toBe(0)
  state.isWaiting = false
  await eventually(async () => expect((await run.job(id)).lost_attempts).toBeGreaterThan(0))
  await run.ask(id, 'cancel')
  await eventually(async () => expect((await run.job(id)).status).toBe('cancelled'))
  await worker.stop()
})

it('leaves trainers that run elsewhere alone when the worker stops', async () => {
  const { trainer, stopped } = waitingTrainer()
  const id = await run.createJob()
  const worker = run.startWorker({ trainerOf: () => trainer })
  await eventually(async () => expect(await trainer.list()).toHaveLength(1))
  await worker.stop()
  expect(stopped).toEqual([])
  expect((await run.attempts(id))[0]).toMatchObject({ exit: null })
})
